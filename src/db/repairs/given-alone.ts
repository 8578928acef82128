import { sql } from 'kysely';
import { type Money, parseMoney } from '../../domain/money.ts';
import { isStaffActor } from '../../domain/repairs/repair.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';
import { lockName } from '../lock-name.ts';
import type { RepairsTable } from '../schema/all-tables.ts';

/** The command line is one asker, because anybody can give any name there. */
const COMMAND_LINE = 'command line';

/** Lets the repairs of one asker be judged one after another, until the transaction ends. */
export const lockAsker = (transaction: DatabaseTransaction, askedBy: string): Promise<void> =>
  lockName(transaction, `repairs of ${isStaffActor(askedBy) ? askedBy : COMMAND_LINE}`);

/** Whose repairs are added up. */
interface GivenBy {
  /** Locked by `lockAsker`, where somebody decides by it. */
  readonly askedBy: string;
  /** The repairs of this kind for this subject are added up as well, whoever asked for them. */
  readonly to: Pick<RepairsTable, 'kind' | 'subject_id'> | undefined;
  /** The repair that is judged, if it has a row. */
  readonly exceptId: number | undefined;
}

/**
 * The value that one asker has given within 24 hours without a second person, or that was given so to
 * one subject, whichever is more. It reads the repairs of one day.
 */
export async function givenAlone(
  database: Database,
  { askedBy, to, exceptId }: GivenBy,
): Promise<Money> {
  const isOfAsker = isStaffActor(askedBy)
    ? sql`asked_by = ${askedBy}`
    : sql`asked_by not like 'staff:%'`;
  const isToSubject = to ? sql`kind = ${to.kind} and subject_id = ${to.subject_id}` : sql`false`;
  const { rows } = await sql<{ amount: string }>`
    select greatest(
        coalesce(sum(amount) filter (where ${isOfAsker}), 0),
        coalesce(sum(amount) filter (where ${isToSubject}), 0))::text as amount
    from repairs
    where gives_value and confirmed_by is null and state in ('READY', 'RUNNING', 'DONE')
      and asked_at > now() - interval '24 hours'
      and id is distinct from ${exceptId ?? null}::bigint`.execute(database);
  return parseMoney(rows[0]?.amount ?? '0');
}
