import { type Kysely, sql } from 'kysely';

/**
 * Movements of our account that are no payment, reversal or top-up, such as a transfer: a break of their own
 * type. Rows from before agree with the new check, which therefore looks at none of them.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    alter table provider_statement_lines add column is_other boolean not null default false;
    alter table provider_breaks drop constraint provider_breaks_type_check,
      add constraint provider_breaks_type_check check (type in ('missing-here', 'unordered',
        'missing-there', 'amount', 'currency', 'duplicate', 'reversed', 'late')) not valid;
  `.execute(database);
}
