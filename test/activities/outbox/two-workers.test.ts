import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { OutboxDependencies } from '../../../activities/outbox/kinds.ts';
import { createOutboxSenders } from '../../../activities/outbox/outbox.ts';
import { createSecretBox } from '../../../src/crypto/secret-box.ts';
import { type OutboxChannel, withDueMessages } from '../../../src/db/outbox.ts';
import { createLogger } from '../../../src/runtime/process/logger.ts';
import { setInvitationScene } from '../../pages/portal/invitation-scene.ts';
import { setOfOne } from '../../providers/set-of-one.ts';
import { heldProvider, kinds, outcomes, statuses } from '../held-provider.ts';

/** One worker sends a message of an invitation, and another worker looks for due ones meanwhile. */
let scene: Awaited<ReturnType<typeof setInvitationScene>>;
beforeAll(async () => {
  // The worker of the stack looks for none.
  scene = await setInvitationScene({ WORKER_PICKUP_SECONDS: '86400' });
});
afterAll(() => scene?.stop());
beforeEach(() => sql`delete from outbox`.execute(scene.stack.database));

const channels: readonly OutboxChannel[] = ['SMS', 'EMAIL'];

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
      portal: { invitationLifetimeSeconds: 3_600 },
      // Recording takes two more seconds at most.
      providerGuard: { providerCallWaitSeconds: 0, providerDeadlineSeconds: sendingSeconds - 2 },
    },
  } as unknown as OutboxDependencies;
  const senders = createOutboxSenders(dependencies, createLogger('silent', 'test'), sendingSeconds);
  const send = (channel: OutboxChannel): Promise<void> => {
    const sender = senders.find((one) => one.kind === 'invitations' && one.channel === channel);
    if (!sender) throw new Error(`Nobody sends invitations by ${channel}`);
    return sender.send(() => true);
  };
  const findDue = async () =>
    (await withDueMessages(database, senders)).map(
      (sender) => `${sender.kind} by ${sender.channel}`,
    );
  return { send, findDue, provider };
}

/** An invitation whose messages nobody has sent. */
const invited = async (): Promise<string> => scene.invite((await scene.newMerchant()).id);

const recorded = (invitationId: string, channel: OutboxChannel) =>
  scene.stack.database
    .selectFrom('outbox')
    .select(['state', 'provider', 'provider_reference', 'problem', 'sending_since', 'settled_at'])
    .where('subject', '=', invitationId)
    .where('channel', '=', channel)
    .executeTakeFirstOrThrow();

const isSending = (worker: ReturnType<typeof aWorker>) =>
  expect.poll(() => worker.provider.asked).toBe(1);

/** Nothing waits any more. */
const settleAll = () =>
  sql`update outbox set state = 'CANCELLED', settled_at = now() where settled_at is null`.execute(
    scene.stack.database,
  );

/** Its pause is over. */
const makeDue = () => sql`update outbox set due_at = now()`.execute(scene.stack.database);

it('a look finds the kinds and channels that have a message, and no others', async () => {
  const worker = aWorker(60);
  await settleAll();
  expect(await worker.findDue()).toEqual([]);
  await invited();
  expect((await worker.findDue()).toSorted()).toEqual([
    'invitations by EMAIL',
    'invitations by SMS',
  ]);
  worker.provider.answer(outcomes.accepted);
  await worker.send('SMS');
  expect(await worker.findDue()).toEqual(['invitations by EMAIL']);
});

describe.each(channels)('%s', (channel) => {
  it.each(kinds)('that ends as %s is left alone by the other worker', async (kind) => {
    const id = await invited();
    const [first, second] = [aWorker(60), aWorker(60)];
    const sending = first.send(channel);
    await isSending(first);
    await second.send(channel);
    expect(await recorded(id, channel)).toMatchObject({ state: 'SENDING' });
    first.provider.answer(outcomes[kind]);
    await sending;
    expect(await recorded(id, channel)).toMatchObject({
      state: statuses[kind],
      sending_since: null,
    });
    await makeDue();
    second.provider.answer(outcomes.accepted);
    await second.send(channel);
    // What was not sent goes out by the next attempt.
    expect(second.provider.asked).toBe(kind === 'not-sent' ? 1 : 0);
    expect(await recorded(id, channel)).toMatchObject({
      state: kind === 'not-sent' ? 'SENT' : statuses[kind],
      provider: channel === 'SMS' ? 'smpp' : null,
    });
  });
});

it.each(kinds)(
  'a text that ends as %s is recorded though the other worker took it for interrupted',
  async (kind) => {
    const id = await invited();
    const [first, second] = [aWorker(60), aWorker(0)];
    const sending = first.send('SMS');
    await isSending(first);
    await second.send('SMS');
    expect(await recorded(id, 'SMS')).toMatchObject({
      state: 'UNKNOWN',
      problem: 'the worker stopped while it was sending',
      settled_at: expect.any(Date),
    });
    first.provider.answer(outcomes[kind]);
    await sending;
    expect(second.provider.asked).toBe(0);
    expect(await recorded(id, 'SMS')).toMatchObject({
      state: statuses[kind],
      sending_since: null,
      settled_at: kind === 'not-sent' ? null : expect.any(Date),
    });
  },
);

describe('an e-mail that another worker sends again after a long time', () => {
  /** Both are sending the same e-mail. */
  async function sentTwice() {
    const id = await invited();
    const [first, second] = [aWorker(60), aWorker(0)];
    const firstSending = first.send('EMAIL');
    await isSending(first);
    const secondSending = second.send('EMAIL');
    await isSending(second);
    return { id, first, second, firstSending, secondSending };
  }

  it.each(kinds)('keeps its own outcome where the earlier one ends as %s', async (kind) => {
    const { id, first, second, firstSending, secondSending } = await sentTwice();
    first.provider.answer(outcomes[kind]);
    await firstSending;
    const isSent = kind === 'accepted';
    expect(await recorded(id, 'EMAIL')).toMatchObject({ state: isSent ? 'SENT' : 'SENDING' });
    second.provider.answer({ kind: 'delivered', providerReference: 'P-2' });
    await secondSending;
    expect(await recorded(id, 'EMAIL')).toMatchObject({
      state: 'SENT',
      provider_reference: isSent ? 'P-1' : 'P-2',
      sending_since: null,
    });
    expect((await scene.invitationRow(id)).token_ciphertext).not.toBeNull();
  });

  it.each(kinds)('has arrived where the earlier one did, though it ends as %s', async (kind) => {
    const { id, first, second, firstSending, secondSending } = await sentTwice();
    first.provider.answer(outcomes.accepted);
    await firstSending;
    second.provider.answer(outcomes[kind]);
    await secondSending;
    expect(await recorded(id, 'EMAIL')).toMatchObject({ state: 'SENT', provider_reference: 'P-1' });
  });

  it('has arrived where the earlier one did, though it was refused first', async () => {
    const { id, first, second, firstSending, secondSending } = await sentTwice();
    second.provider.answer(outcomes.refused);
    await secondSending;
    expect(await recorded(id, 'EMAIL')).toMatchObject({ state: 'REFUSED' });
    first.provider.answer(outcomes.accepted);
    await firstSending;
    expect(await recorded(id, 'EMAIL')).toMatchObject({ state: 'SENT' });
  });
});

it('an e-mail that was cut off is not sent again once its invitation has ended', async () => {
  const id = await invited();
  const [first, second] = [aWorker(60), aWorker(0)];
  const sending = first.send('EMAIL');
  await isSending(first);
  await scene.stack.database
    .updateTable('merchant_invitations')
    .set({ status: 'REPLACED', settled_at: sql<Date>`now()`, token_ciphertext: null })
    .where('id', '=', id)
    .execute();
  await second.send('EMAIL');
  expect(await recorded(id, 'EMAIL')).toMatchObject({ state: 'UNKNOWN' });
  expect(second.provider.asked).toBe(0);
  first.provider.answer(outcomes.accepted);
  await sending;
  expect(await recorded(id, 'EMAIL')).toMatchObject({ state: 'SENT' });
});

it.each([
  ['SMS', 'UNKNOWN', 0],
  ['EMAIL', 'SENT', 1],
] as const)(
  'the %s of a sending that failed in its own process keeps the next one not waiting',
  async (channel, state, asked) => {
    const id = await invited();
    const [first, second] = [aWorker(60), aWorker(60)];
    const sending = first.send(channel);
    await isSending(first);
    first.provider.fail(new Error('broken'));
    await expect(sending).rejects.toThrow('broken');
    await makeDue();
    second.provider.answer(outcomes.accepted);
    await second.send(channel);
    expect(await recorded(id, channel)).toMatchObject({ state });
    expect(second.provider.asked).toBe(asked);
  },
);
