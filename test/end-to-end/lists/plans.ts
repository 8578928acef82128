import pg from 'pg';
import { vi } from 'vitest';
import { grownTables } from './grown-database.js';

/** The statements of this process from now on, with the values of their first use. */
export function listenToStatements() {
  const statements = new Map<string, readonly unknown[]>();
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
    if (/^\s*(select|with|insert|update|delete)\b/i.test(text) && !statements.has(text))
      statements.set(text, Array.isArray(values) ? values : []);
    return (query as (...forwarded: unknown[]) => never).apply(this, parameters);
  });
  return { statements, stop: () => spy.mockRestore() };
}

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Filter?: string;
  readonly Plans?: readonly Plan[];
}

/** How PostgreSQL would carry out a statement. */
export async function planOf(
  client: pg.Client,
  text: string,
  values: readonly unknown[],
): Promise<Plan> {
  const { rows } = await client.query(`explain (format json) ${text}`, [...values]);
  return rows[0]['QUERY PLAN'][0].Plan;
}

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
  return isWhole && grownTables.includes(table) ? [`${type} of ${table}`, ...below] : below;
}

const names = (condition: string, column: string): boolean =>
  /^\w+$/.test(column) ? new RegExp(`\\b${column}\\b`).test(condition) : condition.includes(column);

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

/** The statements, but for the exceptions, that look at whole tables. */
export async function wholeLooks(
  client: pg.Client,
  statements: ReadonlyMap<string, readonly unknown[]>,
  exceptions: readonly PlanException[],
): Promise<string[]> {
  const found: string[] = [];
  const begins = await readIndexBegins(client);
  for (const [text, values] of statements) {
    if (exceptions.some((exception) => exception.text.test(text))) continue;
    const scans = wholeTables(await planOf(client, text, values), begins);
    if (scans.length > 0) found.push(`${scans.join(', ')}: ${text.replace(/\s+/g, ' ')}`);
  }
  return found;
}
