import { type Kysely, sql } from 'kysely';

export const indexes = {
  vouchers_to_remind: {
    table: 'vouchers',
    columns: "(expires_at) where status = 'ACTIVE' and owner_msisdn is not null",
  },
};

/**
 * Messages that a voucher expires soon. The index has those whose owners may be told; `reminded_at`
 * says that an owner was, or need not be. Older messages have kinds that the new check allows, too.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const [name, { table, columns }] of Object.entries(indexes))
    await sql`
      create index if not exists ${sql.ref(name)} on ${sql.table(table)} ${sql.raw(columns)}
    `.execute(database);
  await sql`
    alter table vouchers add column reminded_at timestamptz;
    alter table messages drop constraint messages_kind_check,
      add constraint messages_kind_check check (kind in (
        'VERIFICATION_CODE', 'REDEMPTION_CONFIRMATION', 'EXPIRY_REMINDER')) not valid;
  `.execute(database);
}
