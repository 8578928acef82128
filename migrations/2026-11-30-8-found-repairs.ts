import { type Kysely, sql } from 'kysely';

/**
 * Support finds a case by the reference under which it was settled by hand, also as not done, and a voucher by
 * the number that its owner had before a correction.
 */
export const indexes = {
  repairs_by_reference: {
    table: 'repairs',
    columns: "((arguments ->> 'reference'), id) where arguments ->> 'reference' is not null",
  },
  repairs_by_former_number: {
    table: 'repairs',
    columns: "(split_part(former_msisdn, '.', 1), voucher_id) where former_msisdn is not null",
  },
};

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const [name, { table, columns }] of Object.entries(indexes))
    await sql`
      create index if not exists ${sql.ref(name)} on ${sql.table(table)} ${sql.raw(columns)}
    `.execute(database);
}
