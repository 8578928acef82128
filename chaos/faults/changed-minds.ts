import { findLateSuccess, settleLateSuccess } from '../../src/db/reconciliation/late-successes.js';
import { findReversal, settleReversal } from '../../src/db/reconciliation/reversals.js';
import { call } from '../../test/support/clients.js';
import { readBooks } from '../settle-pending.js';
import type { ThrowawayStack } from '../throwaway-stack.js';
import type { World } from '../world.js';
import type { FaultScene } from './fault-scene.js';

/** What a provider does that changes its mind. */
const opposites = { completed: 'reversed', failed: 'completed' } as const;

/** Chosen from, so that mostly top-ups are met that somebody still asks about. */
const NEWEST = 20;

/** The provider takes a top-up back that it has delivered, or delivers one that it has refused. */
export async function changeItsMind(
  { stack, world, random }: FaultScene,
  from: 'completed' | 'failed',
): Promise<string> {
  const { topups } = await readBooks(stack.services.sandboxUrl);
  const ended = topups
    .filter(({ status, reference }) => status === from && !world.changedMinds.has(reference))
    .slice(0, NEWEST);
  if (ended.length === 0) return 'nothing had ended so';
  const { reference } = random.pick(ended);
  const status = opposites[from];
  world.changedMinds.set(reference, status);
  await setStatus(stack, reference, status);
  return `${reference} is ${status}`;
}

/**
 * Has the provider do again what it took back, and take back what it did late. What was booked of it is
 * settled as an operator does who has talked to the provider.
 */
export async function makeUp(stack: ThrowawayStack, world: World): Promise<void> {
  const { topups } = await readBooks(stack.services.sandboxUrl);
  const statuses = new Map(topups.map(({ reference, status }) => [reference, status]));
  for (const [reference, status] of world.changedMinds) {
    // One that was not refused here yet was simply delivered.
    const isOurs = status === 'reversed' || (await wasRefused(stack, reference));
    if (statuses.get(reference) === status && isOurs)
      await setStatus(stack, reference, status === 'reversed' ? 'completed' : 'reversed');
    await stack.database.transaction().execute(async (transaction) => {
      const late = await findLateSuccess(transaction, reference);
      if (late && !late.settledAt) await settleLateSuccess(transaction, late, 'provider');
      const reversal = await findReversal(transaction, reference);
      if (reversal && !reversal.settledAt) await settleReversal(transaction, reversal, 'provider');
    });
  }
}

async function wasRefused({ database }: ThrowawayStack, reference: string): Promise<boolean> {
  const attempt = await database
    .selectFrom('topup_attempts')
    .select('status')
    .where('reference', '=', reference)
    .executeTakeFirst();
  return attempt?.status === 'VOIDED';
}

const setStatus = ({ services }: ThrowawayStack, reference: string, status: string) =>
  call(`${services.sandboxUrl}/books/topups/${reference}`, { body: { status } });
