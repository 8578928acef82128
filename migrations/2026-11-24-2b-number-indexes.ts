import { type Kysely, sql } from 'kysely';

/** Support finds vouchers and top-ups by a number, and redemptions by the reference of a reversal. */
export const indexes = {
  vouchers_by_number_key: {
    table: 'vouchers',
    columns: "(split_part(owner_msisdn, '.', 1), id) where owner_msisdn is not null",
  },
  topups_by_number_key: { table: 'topups', columns: "(split_part(msisdn, '.', 1), id)" },
  topup_attempts_by_number_key: {
    table: 'topup_attempts',
    columns: "(split_part(msisdn, '.', 1), topup_id)",
  },
  redemption_reversals_by_provider_reference: {
    table: 'redemption_reversals',
    columns: '(provider_reference) where provider_reference is not null',
  },
};

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const [name, { table, columns }] of Object.entries(indexes))
    await sql`
      create index if not exists ${sql.ref(name)} on ${sql.table(table)} ${sql.raw(columns)}
    `.execute(database);
}
