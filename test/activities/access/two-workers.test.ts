import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createInvitationSender } from '../../../activities/access.ts';
import type { ActivityDependencies } from '../../../activities/dependencies.ts';
import type { MessageOutcome } from '../../../activities/messages.ts';
import { createSecretBox } from '../../../src/crypto/secret-box.ts';
import type { InvitationChannel } from '../../../src/db/people/invitations.ts';
import { setInvitationScene } from '../../pages/portal/invitation-scene.ts';
import { setOfOne } from '../../providers/set-of-one.ts';
import { heldProvider, kinds, outcomes, statuses } from '../held-provider.ts';

/**
 * One worker sends a message of an invitation, Temporal holds its attempt for lost, and another worker makes the
 * next one meanwhile.
 */
let scene: Awaited<ReturnType<typeof setInvitationScene>>;
beforeAll(async () => {
  // No worker of the stack takes the invitations up.
  scene = await setInvitationScene({ INVITATION_PICKUP_SECONDS: '86400' });
});
afterAll(() => scene?.stop());

type Message = readonly [invitationId: string, channel: InvitationChannel];
const channels: readonly InvitationChannel[] = ['SMS', 'EMAIL'];

/** A worker whose providers answer when they are let, and how often they were asked. */
function aWorker(sendingSeconds: number) {
  const { config, database, digests } = scene.stack;
  const { provider, port } = heldProvider();
  const dependencies = {
    database,
    digests,
    secretBox: createSecretBox(config.secrets.dataKeys),
    failpoint: () => undefined,
    smsSenders: setOfOne('smpp', port),
    emailSender: port,
    settings: {
      http: { publicUrl: 'https://vouchers.example' },
      // Recording takes two more seconds at most.
      providerGuard: { providerCallWaitSeconds: 0, providerDeadlineSeconds: sendingSeconds - 2 },
    },
  } as unknown as ActivityDependencies;
  const { send } = createInvitationSender(dependencies, sendingSeconds);
  return { send, provider };
}

/** As its workflow: what was provably not sent is sent again. */
async function untilSettled({ send }: ReturnType<typeof aWorker>, ...message: Message) {
  let outcome = await send(...message);
  while (outcome.kind === 'not-sent') outcome = await send(...message);
  return outcome;
}

/** An invitation whose messages nobody has sent, but that its workflow has begun. */
async function begun(): Promise<string> {
  const { id } = await scene.newMerchant();
  const invitationId = await scene.invite(id);
  const token = createSecretBox(scene.stack.config.secrets.dataKeys).seal(
    'A'.repeat(26),
    `invitation ${invitationId}`,
  );
  await scene.stack.database
    .updateTable('merchant_invitations')
    .set({
      status: 'OPEN',
      token_digest: scene.stack.digests.invitation(randomUUID()),
      token_ciphertext: token,
      expires_at: sql<Date>`now() + interval '1 hour'`,
    })
    .where('id', '=', invitationId)
    .execute();
  return invitationId;
}

const recorded = (invitationId: string, channel: InvitationChannel) =>
  scene.stack.database
    .selectFrom('invitation_messages')
    .select(['status', 'provider_reference', 'provider_message', 'sending_since', 'settled_at'])
    .where('invitation_id', '=', invitationId)
    .where('channel', '=', channel)
    .executeTakeFirstOrThrow();

const isSending = (worker: ReturnType<typeof aWorker>) =>
  expect.poll(() => worker.provider.asked).toBe(1);

describe.each(channels)('%s', (channel) => {
  it.each(kinds)('that ends as %s is waited for by the other worker', async (kind) => {
    const id = await begun();
    const [first, second] = [aWorker(60), aWorker(60)];
    const sending = first.send(id, channel);
    await isSending(first);
    let told: MessageOutcome | undefined;
    const asking = untilSettled(second, id, channel).then((outcome) => {
      told = outcome;
    });
    // It looks, and finds the sending of the first.
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(told).toBeUndefined();
    expect(await recorded(id, channel)).toMatchObject({ status: 'SENDING' });
    first.provider.answer(outcomes[kind]);
    expect((await sending).kind).toBe(kind);
    if (kind === 'not-sent') second.provider.answer(outcomes.accepted);
    await asking;
    // What was not sent goes out by the attempt that counts.
    expect(told?.kind).toBe(kind === 'not-sent' ? 'accepted' : kind);
    expect(second.provider.asked).toBe(kind === 'not-sent' ? 1 : 0);
    expect(await recorded(id, channel)).toMatchObject({
      status: kind === 'not-sent' ? 'SENT' : statuses[kind],
      sending_since: null,
    });
  });
});

it.each(kinds)(
  'a text that ends as %s is recorded though the other worker took it for interrupted',
  async (kind) => {
    const id = await begun();
    const [first, second] = [aWorker(60), aWorker(0)];
    const sending = first.send(id, 'SMS');
    await isSending(first);
    expect((await second.send(id, 'SMS')).kind).toBe('unknown');
    expect(await recorded(id, 'SMS')).toMatchObject({
      status: 'UNKNOWN',
      provider_message: 'the worker stopped while it was sending',
    });
    first.provider.answer(outcomes[kind]);
    await sending;
    expect(second.provider.asked).toBe(0);
    expect(await recorded(id, 'SMS')).toMatchObject({
      // Its workflow has settled on it: nothing would send a queued one.
      status: kind === 'not-sent' ? 'UNKNOWN' : statuses[kind],
      sending_since: null,
      settled_at: expect.any(Date),
    });
  },
);

describe('an e-mail that another worker sends again after a long time', () => {
  /** Both are sending the same e-mail. */
  async function sentTwice() {
    const id = await begun();
    const [first, second] = [aWorker(60), aWorker(0)];
    const firstSending = first.send(id, 'EMAIL');
    await isSending(first);
    const secondSending = second.send(id, 'EMAIL');
    await isSending(second);
    return { id, first, second, firstSending, secondSending };
  }

  it.each(kinds)('keeps its own outcome where the earlier one ends as %s', async (kind) => {
    const { id, first, second, firstSending, secondSending } = await sentTwice();
    first.provider.answer(outcomes[kind]);
    await firstSending;
    const isSent = kind === 'accepted';
    expect(await recorded(id, 'EMAIL')).toMatchObject({ status: isSent ? 'SENT' : 'SENDING' });
    second.provider.answer({ kind: 'delivered', providerReference: 'P-2' });
    expect((await secondSending).kind).toBe('accepted');
    expect(await recorded(id, 'EMAIL')).toMatchObject({
      status: 'SENT',
      provider_reference: isSent ? 'P-1' : 'P-2',
      sending_since: null,
    });
    expect((await scene.invitationRow(id)).token_ciphertext).not.toBeNull();
  });

  it.each(kinds)('has arrived where the earlier one did, though it ends as %s', async (kind) => {
    const { id, first, second, firstSending, secondSending } = await sentTwice();
    first.provider.answer(outcomes.accepted);
    expect((await firstSending).kind).toBe('accepted');
    second.provider.answer(outcomes[kind]);
    // Otherwise its workflow would end the invitation as one that has reached nobody.
    expect((await secondSending).kind).toBe('accepted');
    expect(await recorded(id, 'EMAIL')).toMatchObject({
      status: 'SENT',
      provider_reference: 'P-1',
    });
  });

  it('has arrived where the earlier one did, though it was refused first', async () => {
    const { id, first, second, firstSending, secondSending } = await sentTwice();
    second.provider.answer(outcomes.refused);
    expect((await secondSending).kind).toBe('refused');
    first.provider.answer(outcomes.accepted);
    expect((await firstSending).kind).toBe('accepted');
    expect(await recorded(id, 'EMAIL')).toMatchObject({ status: 'SENT' });
  });
});

it('an e-mail that was cut off is not sent again once its invitation has ended', async () => {
  const id = await begun();
  const [first, second] = [aWorker(60), aWorker(0)];
  const sending = first.send(id, 'EMAIL');
  await isSending(first);
  await scene.stack.database
    .updateTable('merchant_invitations')
    .set({ status: 'REPLACED', settled_at: sql<Date>`now()`, token_ciphertext: null })
    .where('id', '=', id)
    .execute();
  expect((await second.send(id, 'EMAIL')).kind).toBe('unknown');
  expect(second.provider.asked).toBe(0);
  first.provider.answer(outcomes.accepted);
  await sending;
  expect(await recorded(id, 'EMAIL')).toMatchObject({ status: 'SENT' });
});

it.each([
  ['SMS', 'unknown', 0],
  ['EMAIL', 'accepted', 1],
] as const)(
  'the %s of a sending that failed in its own process keeps the next one not waiting',
  async (channel, kind, asked) => {
    const id = await begun();
    const [first, second] = [aWorker(60), aWorker(60)];
    const sending = first.send(id, channel);
    await isSending(first);
    first.provider.fail(new Error('broken'));
    await expect(sending).rejects.toThrow('broken');
    second.provider.answer(outcomes.accepted);
    expect((await second.send(id, channel)).kind).toBe(kind);
    expect(second.provider.asked).toBe(asked);
  },
);
