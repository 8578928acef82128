import { type Kysely, sql } from 'kysely';

/** The repairs of a day that no second person confirmed: what one asker gives by them is added up. */
export const indexes = {
  repairs_alone: {
    table: 'repairs',
    columns: `(asked_at) where confirmed_by is null and state in ('READY', 'RUNNING', 'DONE')`,
  },
};

export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    -- Whether somebody gets value by it: many small ones of one asker count like a large one.
    alter table repairs add column gives_value boolean not null default false;

    update repairs set gives_value = true
    where asked_at > now() - interval '2 days' and (
      kind in ('credit-goodwill', 'settle-payment', 'settle-top-up')
      or kind = 'retry-top-up' and sealed_arguments is not null);
  `.execute(database);
  for (const [name, { table, columns }] of Object.entries(indexes))
    await sql`
      create index if not exists ${sql.ref(name)} on ${sql.table(table)} ${sql.raw(columns)}
    `.execute(database);
}
