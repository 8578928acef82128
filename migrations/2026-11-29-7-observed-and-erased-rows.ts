import { type Kysely, sql } from 'kysely';

/**
 * E-mails that were refused or given up, which are counted for the metrics; and numbers of retries and
 * repairs, which the erasure looks up.
 */
export const indexes = {
  statement_emails_undelivered: {
    table: 'statement_emails',
    columns: `(settled_at) where outcome in ('REFUSED', 'GIVEN_UP')`,
  },
  report_emails_undelivered: {
    table: 'report_emails',
    columns: `(settled_at) where outcome in ('REFUSED', 'GIVEN_UP')`,
  },
  operator_commands_numbers: {
    table: 'operator_commands',
    columns: '(topup_id) where msisdn is not null',
  },
  repairs_sealed: {
    table: 'repairs',
    columns: '(changed_at) where sealed_arguments is not null',
  },
};

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const [name, { table, columns }] of Object.entries(indexes))
    await sql`
      create index if not exists ${sql.ref(name)} on ${sql.table(table)} ${sql.raw(columns)}
    `.execute(database);
}
