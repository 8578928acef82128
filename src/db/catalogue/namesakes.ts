import { sql } from 'kysely';
import type { DatabaseTransaction } from '../connection.ts';

/**
 * The ids of the first five other rows with the same name, ignoring case and surrounding spaces.
 */
export async function findNamesakes(
  transaction: DatabaseTransaction,
  row: {
    readonly table: 'partners' | 'merchants';
    readonly nameColumn: string;
    readonly id: number;
  },
): Promise<number[]> {
  const name = sql.ref(`other.${row.nameColumn}`);
  const { rows } = await sql<{ id: number }>`
    select other.id from ${sql.table(row.table)} as one
    join ${sql.table(row.table)} as other on other.id <> one.id
      and lower(btrim(${name})) = lower(btrim(${sql.ref(`one.${row.nameColumn}`)}))
    where one.id = ${row.id} order by other.id limit 5`.execute(transaction);
  return rows.map(({ id }) => id);
}
