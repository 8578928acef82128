import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ActivityDependencies } from '../../../activities/dependencies.ts';
import { createMessageSender } from '../../../activities/messages.ts';
import { createSecretBox } from '../../../src/crypto/secret-box.ts';
import { ownerMessages } from '../../../src/domain/vouchers/messages.ts';
import { createBackgroundTasks } from '../../../src/runtime/process/background-tasks.ts';
import { type GiftScene, setGiftScene } from '../../end-to-end/gift/gift-scene.ts';
import { setOfOne } from '../../providers/set-of-one.ts';
import { heldProvider, kinds, outcomes, type SendingEnd, statuses } from '../held-provider.ts';

/** One worker sends a message, and another one is asked for its outcome meanwhile. */
let scene: GiftScene;
beforeAll(async () => {
  scene = await setGiftScene();
});
afterAll(() => scene?.stop());

/** A worker whose provider answers when it is let, and how often it was asked. */
function aWorker(sendingSeconds: number, more: Partial<ActivityDependencies> = {}) {
  const { config, database, digests } = scene.stack;
  const { provider, port } = heldProvider();
  const dependencies = {
    database,
    digests,
    secretBox: createSecretBox(config.secrets.dataKeys),
    numbers: scene.stack.api.services.numbers,
    failpoint: () => undefined,
    background: createBackgroundTasks(() => true),
    smsSenders: setOfOne('smpp', port),
    settings: {
      // Recording takes two more seconds at most.
      providerGuard: { providerCallWaitSeconds: 0, providerDeadlineSeconds: sendingSeconds - 2 },
    },
    ...more,
  } as unknown as ActivityDependencies;
  return { sender: createMessageSender(dependencies), provider };
}

/** The message with the code of a new claim, as if nobody had sent it. */
async function queuedMessage(): Promise<number> {
  const gift = await scene.gift();
  await scene.claimed(scene.asMerchant, gift);
  const { id } = await scene.stack.database
    .updateTable('messages')
    .set({ status: 'QUEUED', settled_at: null, provider: null, provider_reference: null })
    .where('voucher_id', '=', gift.id)
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

const recorded = (id: number) =>
  scene.stack.database
    .selectFrom('messages')
    .select(['status', 'provider', 'provider_reference', 'provider_message', 'sending_since'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();

const referenceOf = (kind: SendingEnd) => (kind === 'accepted' ? 'P-1' : null);

describe.each(kinds)('a sending that ends as %s', (kind) => {
  it('is waited for by the other worker', async () => {
    const id = await queuedMessage();
    const [first, second] = [aWorker(60), aWorker(60)];
    const sending = first.sender.send(id);
    await expect.poll(() => first.provider.asked).toBe(1);
    const asking = second.sender.send(id);
    expect(await second.sender.sendWithin(id, 300)).toBeUndefined();
    first.provider.answer(outcomes[kind]);
    const asked = { provider: 'smpp', failovers: [] };
    expect(await sending).toMatchObject({ kind, asked });
    expect(await asking).toMatchObject({ kind, asked });
    expect(second.provider.asked).toBe(0);
    expect(await recorded(id)).toMatchObject({
      status: statuses[kind],
      provider_reference: referenceOf(kind),
      sending_since: null,
    });
  });

  it('is recorded though the other worker took it for interrupted', async () => {
    const id = await queuedMessage();
    const [first, second] = [aWorker(60), aWorker(0)];
    const sending = first.sender.send(id);
    await expect.poll(() => first.provider.asked).toBe(1);
    expect(await second.sender.send(id)).toEqual({ kind: 'unknown' });
    expect(await recorded(id)).toMatchObject({
      status: 'UNKNOWN',
      provider_message: 'the worker stopped while it was sending',
    });
    first.provider.answer(outcomes[kind]);
    expect(await sending).toMatchObject({ kind });
    expect(await recorded(id)).toMatchObject({
      // The claim has settled on it: nothing sends a queued code of such a claim.
      status: kind === 'not-sent' ? 'UNKNOWN' : statuses[kind],
      provider: 'smpp',
      provider_reference: referenceOf(kind),
      sending_since: null,
    });
    expect(second.provider.asked).toBe(0);
  });
});

it('a sending that was interrupted long ago is unknown at once, and not sent again', async () => {
  const id = await queuedMessage();
  await scene.stack.database
    .updateTable('messages')
    .set({ status: 'SENDING', sending_since: sql<Date>`clock_timestamp() - interval '1 minute'` })
    .where('id', '=', id)
    .execute();
  const worker = aWorker(30);
  expect(await worker.sender.send(id)).toEqual({ kind: 'unknown' });
  expect(worker.provider.asked).toBe(0);
});

it('a code whose time is over is sent to nobody, although its claim has not ended yet', async () => {
  const id = await queuedMessage();
  await sql`update voucher_claims set expires_at = now() - interval '1 second'
    where id = (select claim_id from messages where id = ${id})`.execute(scene.stack.database);
  const worker = aWorker(60);
  expect(await worker.sender.sendWithin(id, 5_000)).toMatchObject({ kind: 'refused' });
  expect(worker.provider.asked).toBe(0);
  // The number is not to blame.
  expect(await recorded(id)).toMatchObject({ status: 'CANCELLED', provider: null });
});

it('a sending that failed in its own process keeps the next one not waiting', async () => {
  const id = await queuedMessage();
  const worker = aWorker(60);
  const sending = worker.sender.send(id);
  await expect.poll(() => worker.provider.asked).toBe(1);
  worker.provider.fail(new Error('broken'));
  await expect(sending).rejects.toThrow('broken');
  expect(await worker.sender.send(id)).toEqual({ kind: 'unknown' });
  expect(worker.provider.asked).toBe(1);
});

it('a message whose text could not be made was sent by nobody, and is sent by the next one', async () => {
  const id = await queuedMessage();
  const code = () => {
    throw new Error('no text');
  };
  const messageTexts = { ...ownerMessages, en: { ...ownerMessages.en, code } };
  await expect(aWorker(60, { messageTexts }).sender.send(id)).rejects.toThrow('no text');
  expect(await recorded(id)).toMatchObject({ status: 'QUEUED', sending_since: null });
  const worker = aWorker(60);
  const sending = worker.sender.send(id);
  await expect.poll(() => worker.provider.asked).toBe(1);
  worker.provider.answer(outcomes.accepted);
  expect(await sending).toMatchObject({ kind: 'accepted' });
});
