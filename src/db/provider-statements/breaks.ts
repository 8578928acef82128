import { sql } from 'kysely';
import type { BreakType, StatementKind } from '../../domain/provider-statements/break-types.ts';
import type { Day } from '../../domain/reports/day-report.ts';
import type { Database } from '../connection.ts';

/** A difference between the statement of a provider and our books. */
export interface Break {
  readonly id: number;
  readonly provider: string;
  readonly day: Day;
  readonly type: BreakType;
  readonly kind: StatementKind;
  /** Our reference, where the provider has one. */
  readonly reference: string | null;
  readonly providerReference: string | null;
  /** Decimal strings. */
  readonly ourStatus: string | null;
  readonly ourAmount: string | null;
  readonly providerStatus: string | null;
  readonly providerAmount: string | null;
  readonly providerCurrency: string | null;
  readonly state: 'OPEN' | 'CLOSED' | 'SETTLED';
  readonly foundAt: Date;
  readonly endedAt: Date | null;
  /** Why it closed by itself, or what an operator noted. */
  readonly endedWhy: string | null;
  readonly endedBy: string | null;
}

const columns = sql`
  id, provider, day, type, kind, reference, provider_reference as "providerReference",
  our_status as "ourStatus", our_amount as "ourAmount", provider_status as "providerStatus",
  provider_amount as "providerAmount", provider_currency as "providerCurrency", state,
  found_at as "foundAt", ended_at as "endedAt", ended_why as "endedWhy", ended_by as "endedBy"`;

/** The breaks of a day, open ones first. */
export async function breaksOfDay(
  database: Database,
  provider: string,
  day: Day,
  options: { readonly includeEnded: boolean },
): Promise<Break[]> {
  const { rows } = await sql<Break>`
    select ${columns} from provider_breaks
    where provider = ${provider} and day = ${day}
      and (state = 'OPEN' or ${options.includeEnded})
    order by state = 'OPEN' desc, type, id`.execute(database);
  return rows;
}

/** Open breaks of all providers that a person must look at, oldest day first. */
export async function listOpenBreaks(
  database: Database,
  options: { readonly includeLate: boolean; readonly limit: number },
): Promise<Break[]> {
  const { rows } = await sql<Break>`
    select ${columns} from provider_breaks
    where state = 'OPEN' and (type <> 'late' or ${options.includeLate})
    order by day, provider, id limit ${options.limit}`.execute(database);
  return rows;
}

/** The breaks that people look for. */
export interface BreakFilter {
  readonly provider?: string | undefined;
  readonly day?: string | undefined;
  readonly state?: Break['state'] | undefined;
}

/** Breaks of all types by provider, day and state: open ones first, the newest day first. */
export async function listBreaks(
  database: Database,
  { provider, day, state }: BreakFilter,
  limit: number,
): Promise<Break[]> {
  const conditions = [
    ...(provider === undefined ? [] : [sql`provider = ${provider}`]),
    ...(day === undefined ? [] : [sql`day = ${day}`]),
    ...(state === undefined ? [] : [sql`state = ${state}`]),
    sql`true`,
  ];
  const { rows } = await sql<Break>`
    select ${columns} from provider_breaks where ${sql.join(conditions, sql` and `)}
    order by state = 'OPEN' desc, day desc, provider, id limit ${limit}`.execute(database);
  return rows;
}

/** A break by its id. */
export async function findBreak(database: Database, id: number): Promise<Break | undefined> {
  const { rows } = await sql<Break>`
    select ${columns} from provider_breaks where id = ${id}`.execute(database);
  return rows[0];
}

/** How many breaks are open, by provider and type. */
export async function countOpenBreaks(
  database: Database,
): Promise<{ provider: string; type: BreakType; count: number }[]> {
  const { rows } = await sql<{ provider: string; type: BreakType; count: number }>`
    select provider, type, count(*)::int as count from provider_breaks
    where state = 'OPEN' group by provider, type`.execute(database);
  return rows;
}
