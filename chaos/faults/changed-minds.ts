import { sql } from 'kysely';
import { settleOrder } from '../../src/db/positions/book.ts';
import { findCase, listCases } from '../../src/db/positions/cases.ts';
import { type ProviderBooks, readBooks, setStatus } from '../settle-pending.ts';
import type { ThrowawayStack } from '../throwaway-stack.ts';
import type { World } from '../world.ts';
import type { FaultScene } from './fault-scene.ts';

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
  const { reference, provider } = random.pick(ended);
  const status = opposites[from];
  world.changedMinds.set(reference, status);
  await setStatus(stack.services.sandboxUrl, `topups/${reference}`, status);
  return `${reference} of ${provider} is ${status}`;
}

/**
 * Has providers do again what they took back, and take back what they did late. What was booked of it is
 * settled as an operator does who has talked to the provider.
 */
export async function makeUp(
  stack: ThrowawayStack,
  world: World,
  books: ProviderBooks,
): Promise<void> {
  for (const reference of await takenBack(stack, books)) {
    // What was delivered late, and taken back here in an earlier round, stays so.
    const isMadeUp = world.changedMinds.get(reference) === 'completed';
    if (!isMadeUp || !(await wasRefused(stack, reference)))
      world.changedMinds.set(reference, 'reversed');
  }
  const rows = [
    ...books.payouts.map((row) => ({ ...row, kind: 'payouts' as const })),
    ...books.topups.map((row) => ({ ...row, kind: 'topups' as const })),
  ];
  const found = new Map(rows.map((row) => [row.reference, row]));
  for (const [reference, status] of world.changedMinds) {
    const row = found.get(reference);
    // One that was not refused here yet was simply delivered.
    const isOurs = status === 'reversed' || (await wasRefused(stack, reference));
    if (row?.status === status && isOurs)
      await setStatus(
        stack.services.sandboxUrl,
        `${row.kind}/${reference}`,
        status === 'reversed' ? 'completed' : 'reversed',
      );
  }
  await settleByProvider(stack);
}

/** What is booked of a changed mind, as an operator settles it who has talked to the provider. */
async function settleByProvider({ database }: ThrowawayStack): Promise<void> {
  const open = await listCases(database, { includeClosed: false, limit: 1_000 });
  for (const { id } of open.filter(({ why }) => why === 'difference'))
    await database.transaction().execute(async (transaction) => {
      const found = await findCase(transaction, id);
      if (!found || found.closedAt !== null) return;
      const choice = {
        by: 'provider',
        partnerId: null,
        actor: 'chaos',
        note: 'It put it right',
      } as const;
      await settleOrder(transaction, found, choice, { reversalWatchSeconds: 0 });
    });
}

/** What providers took back by themselves, and not because a merchant asked for it. */
async function takenBack(
  { database }: ThrowawayStack,
  { payouts, topups }: ProviderBooks,
): Promise<string[]> {
  const { rows } = await sql<{ reference: string }>`
    select payment_reference::text as reference
    from redemption_reversals as reversal join redemptions on redemptions.id = redemption_id
    where reversal.status <> 'FAILED'`.execute(database);
  const asked = new Set(rows.map(({ reference }) => reference));
  return [...payouts, ...topups]
    .filter(({ status, reference }) => status === 'reversed' && !asked.has(reference))
    .map(({ reference }) => reference);
}

async function wasRefused({ database }: ThrowawayStack, reference: string): Promise<boolean> {
  const attempt = await database
    .selectFrom('topup_attempts')
    .select('status')
    .where('reference', '=', reference)
    .executeTakeFirst();
  return attempt?.status === 'VOIDED';
}
