import pg from 'pg';
import { vi } from 'vitest';
import { NOT_PREPARED } from '../../../src/db/connection.ts';
import { grownTables } from './grown-database.ts';

/** The statements of this process from now on, with the values of their first use. */
export function listenToStatements({ database }: { readonly database?: string } = {}) {
  const statements = new Map<string, readonly unknown[]>();
  /** Those that PostgreSQL keeps a plan of, which may be one for all values. */
  const prepared = new Set<string>();
  /** Those of a form that few ask for, which PostgreSQL always plans for their values. */
  const planned = new Map<string, readonly unknown[]>();
  const query = pg.Client.prototype.query;
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
    this: pg.Client,
    ...parameters: unknown[]
  ) {
    const [first, second] = parameters;
    const { text, values } =
      typeof first === 'string'
        ? { text: first, values: second }
        : (first as { text: string; values?: unknown });
    if (typeof first === 'object') prepared.add(text);
    const isHeard = database === undefined || this.database === database;
    if (isHeard && /^\s*(select|with|insert|update|delete)\b/i.test(text) && !statements.has(text))
      statements.set(text, Array.isArray(values) ? values : []);
    if (isHeard && text.includes(NOT_PREPARED) && !planned.has(text))
      planned.set(text, Array.isArray(values) ? values : []);
    return (query as (...forwarded: unknown[]) => never).apply(this, parameters);
  });
  return { statements, prepared, planned, stop: () => spy.mockRestore() };
}

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Filter?: string;
  readonly Plans?: readonly Plan[];
}

/**
 * How PostgreSQL would carry out a statement: with these values, or, without any, as a prepared one for
 * all values, which it may choose after a few uses.
 */
export async function planOf(
  client: pg.Client,
  text: string,
  values?: readonly unknown[],
): Promise<Plan> {
  const { rows } = values
    ? await client.query(`explain (format json) ${text}`, [...values])
    : await client.query(`explain (generic_plan, format json) ${text}`);
  return rows[0]['QUERY PLAN'][0].Plan;
}

/** Indexes that hold only what is open or rare, which is little at any time: they are read from end to end. */
const OPEN: ReadonlySet<string> = new Set([
  ...['messages_unsettled', 'outbox_unsettled', 'merchant_invitations_open'],
  ...['redemptions_held', 'topup_attempts_held', 'redemption_reversals_pending'],
  ...['topups_pending', 'placements_to_ask', 'cases_open', 'cases_open_by_id'],
  ...['cases_blocking_voucher', 'cases_blocking_topup', 'placements_of_voucher'],
  ...['topup_retries_open', 'repairs_underway', 'repairs_open'],
  ...['provider_statements_unfinished', 'bulk_orders_open'],
  ...['voucher_claims_open', 'events_to_number'],
  ...['webhook_deliveries_due'],
  ...['merchant_invitations_current', 'bulk_lines_pending', 'webhook_deliveries_in_order'],
]);

/** The table and the first column of each index. */
export type IndexBegins = ReadonlyMap<string, { readonly table: string; readonly column: string }>;

export async function readIndexBegins(client: pg.Client): Promise<IndexBegins> {
  const { rows } = await client.query(`
    select indexrelid::regclass::text as index, indrelid::regclass::text as table,
      pg_get_indexdef(indexrelid, 1, true) as column
    from pg_index`);
  return new Map(rows.map(({ index, ...begin }) => [index, begin]));
}

/**
 * The tables, or indexes of them, that a plan looks through from one end to the other. A limit ends a scan
 * early, but not where a filter may drop every row. A condition ends one only on the first column of an
 * index: one on a later column alone is compared with every entry.
 */
export function wholeTables(plan: Plan, begins: IndexBegins, isLimited = false): string[] {
  const { 'Node Type': type, 'Index Cond': condition, 'Index Name': index = '' } = plan;
  const begin = begins.get(index);
  const table = plan['Relation Name'] ?? begin?.table ?? '';
  const isBehind = condition !== undefined && begin && !names(condition, begin.column);
  const isEndless = !condition && (!isLimited || plan.Filter !== undefined);
  const isWhole =
    type === 'Seq Scan' ||
    (/^(Bitmap )?Index (Only )?Scan$/.test(type) && isBehind) ||
    (/^Index (Only )?Scan$/.test(type) && isEndless);
  const below = (plan.Plans ?? []).flatMap((part) =>
    wholeTables(part, begins, isLimited || type === 'Limit'),
  );
  return isWhole && grownTables.includes(table) && !OPEN.has(index)
    ? [[`${type} of ${table}`, ...(index === '' ? [] : [`by ${index}`])].join(' '), ...below]
    : below;
}

const names = (condition: string, column: string): boolean =>
  /^\w+$/.test(column)
    ? new RegExp(`\\b${column}\\b`).test(condition)
    : unspaced(condition).includes(unspaced(column));

/** PostgreSQL writes an expression in a condition with other lines and brackets than in an index. */
const unspaced = (expression: string): string => expression.replace(/[\s()]/g, '');

/** The nodes of a plan that read a table. */
export const scansOf = (plan: Plan, table: string): Plan[] => [
  ...(plan['Relation Name'] === table ? [plan] : []),
  ...(plan.Plans ?? []).flatMap((part) => scansOf(part, table)),
];

/** A kind of statement that may look at whole tables, and why. */
export interface PlanException {
  readonly text: RegExp;
  readonly why: string;
}

/** Statements of Schedules that may look at whole tables, and why. */
export const EXCEPTIONS_OF_SCHEDULES: readonly PlanException[] = [
  {
    text: / as fault\b(?![\s\S]*= any\(\$\d+::bigint\[\]\))/,
    why: 'the whole check of the books is one of everything; that of changes has their ids',
  },
  {
    text: /insert into checked_holdings .*\s+select partner_id, sum\(remaining/,
    why: 'the holdings are begun at the first check, and where they were found to differ',
  },
  {
    text: /insert into checked_balances \(account_id, amount\)\s+select account_id, sum\(change/,
    why: 'so are the balances, with the daily sums of archived days',
  },
  {
    text: /select concat_ws\(' ', count\(\*\), max\(archived_at\)/,
    why: 'the whole check asks twice whether something was archived meanwhile',
  },
];

/** The statements, but for the exceptions, that look at whole tables. */
export async function wholeLooks(
  client: pg.Client,
  statements: ReadonlyMap<string, readonly unknown[]>,
  exceptions: readonly PlanException[],
  {
    isGeneric = false,
    isBig = isGeneric,
  }: {
    /**
     * By the plan for all values. It guesses how many rows a condition finds: at 20,000 rows the sample of `analyze`
     * would decide between look-ups and the whole table.
     */
    readonly isGeneric?: boolean;
    /** As if the tables were so big that reading one cost more than any number of look-ups. */
    readonly isBig?: boolean;
  } = {},
): Promise<string[]> {
  const found: string[] = [];
  const begins = await readIndexBegins(client);
  for (const [text, values] of statements) {
    if (exceptions.some((exception) => exception.text.test(text))) continue;
    const look = async () =>
      wholeTables(await planOf(client, text, isGeneric ? undefined : values), begins);
    let scans = await look();
    if (isBig && scans.length > 0) {
      await client.query('set enable_seqscan = off');
      scans = await look();
      await client.query('reset enable_seqscan');
    }
    if (scans.length > 0) found.push(`${scans.join(', ')}: ${text.replace(/\s+/g, ' ')}`);
  }
  return found;
}
