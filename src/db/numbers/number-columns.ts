import { sql } from 'kysely';
import { type StoredNumber, sealingKeyOf } from '../../domain/phone.ts';
import type { Database } from '../connection.ts';

/** Every column that holds a phone number of a person, those that others are copied from first. */
export const numberColumns = [
  { table: 'vouchers', column: 'owner_msisdn' },
  { table: 'topups', column: 'msisdn' },
  { table: 'topup_attempts', column: 'msisdn' },
  { table: 'topup_retries', column: 'msisdn' },
  { table: 'operator_commands', column: 'msisdn' },
  { table: 'bulk_lines', column: 'owner_msisdn' },
  { table: 'messages', column: 'msisdn' },
  { table: 'repairs', column: 'former_msisdn' },
] as const;

type NumberColumn = (typeof numberColumns)[number];

/** Pages of a table that one statement reads: a few thousand rows at most. */
const PAGES = 32;
const PAGE_BYTES = 8_192;

interface FoundNumber {
  readonly place: string;
  readonly stored: StoredNumber;
}

/** The numbers of some pages of a table. */
const numbersOfPages = async (
  database: Database,
  { table, column }: NumberColumn,
  from: number,
): Promise<FoundNumber[]> => {
  const { rows } = await sql<FoundNumber>`
    select ctid::text as place, ${sql.ref(column)} as stored from ${sql.table(table)}
    where ctid >= ${`(${from},0)`}::tid and ctid < ${`(${from + PAGES},0)`}::tid
      and ${sql.ref(column)} is not null`.execute(database);
  return rows;
};

const pagesOf = async (database: Database, { table }: NumberColumn): Promise<number> => {
  const { rows } = await sql<{ bytes: string }>`
    select pg_relation_size(${table}::regclass)::text as bytes`.execute(database);
  return Number(rows[0]?.bytes ?? 0) / PAGE_BYTES;
};

/**
 * Seals the numbers of a column that are not under the first key, in short transactions.
 * A row that changes meanwhile moves, and is found by the next run. Returns how many were sealed.
 */
export async function resealColumn(
  database: Database,
  numberColumn: NumberColumn,
  /** The number as it is to be stored; undefined where it is so already. */
  resealed: (stored: StoredNumber) => StoredNumber | undefined,
  note: (sealed: number) => void,
): Promise<number> {
  const { table, column } = numberColumn;
  let sealed = 0;
  for (let from = 0; from < (await pagesOf(database, numberColumn)); from += PAGES) {
    const outdated = (await numbersOfPages(database, numberColumn, from)).flatMap((found) => {
      const renewed = resealed(found.stored);
      return renewed === undefined ? [] : [{ ...found, renewed }];
    });
    if (outdated.length === 0) continue;
    const { numAffectedRows = 0n } = await sql`
      update ${sql.table(table)} as row set ${sql.ref(column)} = made.renewed
      from unnest(${outdated.map(({ place }) => place)}::text[]::tid[],
        ${outdated.map(({ stored }) => stored)}::text[],
        ${outdated.map(({ renewed }) => renewed)}::text[]) as made (place, stored, renewed)
      where row.ctid = made.place and row.${sql.ref(column)} = made.stored`.execute(database);
    sealed += Number(numAffectedRows);
    note(sealed);
  }
  return sealed;
}

/** The numbers of a column by how they are stored: a key's id, or "erased". */
export async function countNumbers(
  database: Database,
  numberColumn: NumberColumn,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (let from = 0; from < (await pagesOf(database, numberColumn)); from += PAGES)
    for (const { stored } of await numbersOfPages(database, numberColumn, from)) {
      const kind = sealingKeyOf(stored) ?? 'erased';
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
  return counts;
}
