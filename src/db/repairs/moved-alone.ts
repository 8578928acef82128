import { sql } from 'kysely';
import { type Money, parseMoney } from '../../domain/money.ts';
import { isStaffActor } from '../../domain/repairs/repair.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';
import { lockName } from '../lock-name.ts';
import type { RepairRow } from './audit-repair.ts';

/** The command line is one asker, because anybody can give any name there. */
const COMMAND_LINE = 'command line';

/** Lets the repairs of one asker be judged one after another, until the transaction ends. */
export const lockAsker = (transaction: DatabaseTransaction, askedBy: string): Promise<void> =>
  lockName(transaction, `repairs of ${isStaffActor(askedBy) ? askedBy : COMMAND_LINE}`);

/** What is judged: a repair, or one that has no row yet. */
export type Asking = Pick<RepairRow, 'kind' | 'subject_id' | 'asked_by'> & { readonly id?: number };

/**
 * The value that one asker has moved within 24 hours without a second person, or that was moved so by
 * repairs of one kind for one subject, whichever is more. It reads the other repairs of one day. Who decides by
 * it has called `lockAsker` first; of a subject one repair of a kind is open at a time.
 */
export async function movedAlone(
  database: Database,
  { id, kind, subject_id, asked_by }: Asking,
): Promise<Money> {
  const isOfAsker = isStaffActor(asked_by)
    ? sql`asked_by = ${asked_by}`
    : sql`asked_by not like 'staff:%'`;
  const { rows } = await sql<{ amount: string }>`
    select greatest(
        coalesce(sum(amount) filter (where ${isOfAsker}), 0),
        coalesce(sum(amount) filter (where kind = ${kind} and subject_id = ${subject_id}), 0))::text as amount
    from repairs
    where moves_value and confirmed_by is null and state in ('READY', 'RUNNING', 'DONE')
      and asked_at > now() - interval '24 hours'
      and id is distinct from ${id ?? null}::bigint`.execute(database);
  return parseMoney(rows[0]?.amount ?? '0');
}
