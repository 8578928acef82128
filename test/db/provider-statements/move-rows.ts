import { sql } from 'kysely';
import type { Database } from '../../../src/db/connection.ts';

/**
 * Moves payments and top-ups to other times, as if they had been made then: what ended stays as it is
 * otherwise, which triggers enforce.
 */
export const moveRows = (
  database: Database,
  references: readonly string[],
  times: { readonly began: Date; readonly ended: Date },
): Promise<void> =>
  database.transaction().execute(async (transaction) => {
    await sql`set local session_replication_role = replica`.execute(transaction);
    for (const [table, column] of [
      ['redemptions', 'payment_reference'],
      ['redemption_reversals', 'reference'],
      ['topup_attempts', 'reference'],
    ] as const)
      await sql`
        update ${sql.table(table)} set created_at = ${times.began},
          settled_at = case when settled_at is not null then ${times.ended}::timestamptz end
        where ${sql.ref(column)}::text = any(${[...references]}::text[])`.execute(transaction);
    await sql`
      update placements set placed_at = ${times.began},
        said_at = case when said_at is not null then ${times.ended}::timestamptz end
      where reference = any(${[...references]}::text[])`.execute(transaction);
  });
