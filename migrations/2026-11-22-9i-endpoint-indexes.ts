import { type Kysely, sql } from 'kysely';

/**
 * The orders and conditions of a partner's list of vouchers. Before this migration the indexes are
 * built concurrently, so that vouchers can be written meanwhile; in an empty database the migration
 * itself builds them.
 */
export const indexes = {
  vouchers_by_partner_and_time: { table: 'vouchers', columns: '(partner_id, created_at, id)' },
  vouchers_by_partner_and_expiry: { table: 'vouchers', columns: '(partner_id, expires_at, id)' },
  vouchers_by_partner_and_status: { table: 'vouchers', columns: '(partner_id, status, id)' },
};

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const [name, { table, columns }] of Object.entries(indexes))
    await sql`
      create index if not exists ${sql.ref(name)} on ${sql.table(table)} ${sql.raw(columns)}
    `.execute(database);
}
