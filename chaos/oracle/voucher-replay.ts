import { sql } from 'kysely';
import type { Database } from '../../src/db/connection.ts';
import { formatMoney, parseMoney } from '../../src/domain/money.ts';

/** An event as its company reads it. */
export interface ToldEvent {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  // biome-ignore lint/suspicious/noExplicitAny: every type has facts of its own.
  readonly data: any;
}

/**
 * Replays the events of each voucher in the order in which its partner reads them, as a partner does
 * who keeps books of its own: every step and the end must be what the database has.
 */
export async function replayVouchers(
  database: Database,
  events: readonly ToldEvent[],
): Promise<string[]> {
  const { rows } = await sql<{ subject: string; remaining: string }>`
    select 'voucher:' || id as subject, remaining from vouchers
    where status <> 'REDEEM_PROCESSING'`.execute(database);
  const bySubject = new Map<string, ToldEvent[]>();
  for (const event of events)
    bySubject.set(event.subject, [...(bySubject.get(event.subject) ?? []), event]);
  return rows.flatMap(({ subject, remaining }) => {
    const problems: string[] = [];
    const end = (bySubject.get(subject) ?? []).reduce((before, event) => {
      const step = after(before, event);
      if (step === undefined)
        problems.push(`${subject}: ${event.id} ${event.type} is out of order`);
      return step ?? before;
    }, NOTHING);
    if (problems.length === 0 && end !== parseMoney(remaining))
      problems.push(`${subject} has ${remaining}, and ${formatMoney(end)} by its events`);
    return problems;
  });
}

/** Before the voucher is generated. */
const NOTHING = -1n;

/** What is left of a voucher after an event; undefined where the event cannot come there. */
function after(before: bigint, { type, data }: ToldEvent): bigint | undefined {
  if (type === 'voucher.generated') return before === NOTHING ? parseMoney(data.amount) : undefined;
  if (before === NOTHING) return undefined;
  if (type === 'voucher.expired' || type === 'voucher.cancelled')
    return parseMoney(data.returned) === before ? 0n : undefined;
  const left = before + changeOf({ type, data });
  const told = parseMoney(data.remaining);
  // What another redemption holds at that moment is not left, and was not told of yet.
  if (type === 'redemption.reversed') return told <= left ? left : undefined;
  return told === left ? left : undefined;
}

/** How an event changes what is left of a voucher. */
function changeOf({ type, data }: Pick<ToldEvent, 'type' | 'data'>): bigint {
  if (type === 'voucher.redeemed') return -parseMoney(data.amount);
  return type === 'redemption.reversed' && data.creditedTo === 'voucher'
    ? parseMoney(data.amount)
    : 0n;
}
