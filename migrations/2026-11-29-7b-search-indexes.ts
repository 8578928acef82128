import { type Kysely, sql } from 'kysely';

/**
 * Support finds a voucher by the operation of its claim, a line of a bulk order by the partner's name of it,
 * and a call by its X-Request-Id. Open claims have an index of their own.
 */
export const indexes = {
  voucher_claims_ended_of_operation: {
    table: 'voucher_claims',
    columns: "(operation_id) where status <> 'OPEN'",
  },
  bulk_lines_by_reference: { table: 'bulk_lines', columns: '(reference)' },
  refused_calls_by_request: { table: 'refused_calls', columns: '(request_id)' },
  admitted_calls_by_request: { table: 'admitted_calls', columns: '(request_id)' },
};

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const [name, { table, columns }] of Object.entries(indexes))
    await sql`
      create index if not exists ${sql.ref(name)} on ${sql.table(table)} ${sql.raw(columns)}
    `.execute(database);
}
