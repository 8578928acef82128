import { type Kysely, sql } from 'kysely';

/** Support finds the bulk order that generated a voucher. */
export const indexes = {
  bulk_lines_by_voucher: {
    table: 'bulk_lines',
    columns: '(voucher_id) where voucher_id is not null',
  },
};

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const [name, { table, columns }] of Object.entries(indexes))
    await sql`
      create index if not exists ${sql.ref(name)} on ${sql.table(table)} ${sql.raw(columns)}
    `.execute(database);
}
