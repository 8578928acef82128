import { randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { voucherCodeFromRandom } from '../../../src/domain/vouchers/voucher-code.js';
import { makeAccount, signedIn } from '../../portal/portal-client.js';
import { staffClient } from '../../staff/staff-client.js';
import type { TestDatabase } from '../../support/database.js';
import { type RedemptionScene, setRedemptionScene } from '../gift/redemption-scene.js';
import { liveThroughTheService } from '../whole-service.js';
import { createGrownDatabase, grownTables } from './grown-database.js';

/** Statements that may look at whole tables, and why. */
const EXCEPTIONS: readonly { readonly text: RegExp; readonly why: string }[] = [
  {
    text: / as fault\b(?![\s\S]*= any\(\$\d+::bigint\[\]\))/,
    why: 'the whole check of the books is one of everything; that of changes has their ids',
  },
  {
    text: /insert into checked_holdings .*\s+select partner_id, sum\(remaining/,
    why: 'the holdings are added up once after an upgrade',
  },
  {
    text: /Given up: the claim ended/,
    why: 'messages that are not settled are few, and their index holds no others',
  },
  {
    text: /topup_attempts as try join topups|from redemptions where status = 'HELD' and/,
    why: 'what is on hold is little, and its indexes hold no others',
  },
];

/** Every statement that the service made, with the values of its first use. */
const statements = new Map<string, readonly unknown[]>();

let grown: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  grown = await createGrownDatabase();
  client = new pg.Client({ connectionString: grown.url });
  await client.connect();
  const listening = listenToStatements();
  const scene = await setRedemptionScene({ CALLER_WAIT_SECONDS: '25' });
  scene.stack.sandbox.postSmsReportsTo(`${scene.stack.url}/callbacks/africas-talking`);
  await liveThroughTheService(scene);
  await workInThePortal(scene);
  await workInSupport(scene);
  await scene.stop();
  listening.mockRestore();
}, 240_000);
afterAll(async () => {
  await client?.end();
  await grown?.drop();
});

/** The pages of business, as owners of a partner and of a merchant look at them. */
async function workInThePortal({ stack, partner, merchant }: RedemptionScene): Promise<void> {
  const pages = {
    partner: ['', '/sales', '/vouchers', '/top-ups', '/bulk-orders', '/prices', '/packages'],
    merchant: ['', '/redemptions', '/payouts'],
  } as const;
  for (const [kind, { id }] of Object.entries({ partner, merchant })) {
    const company = { kind: kind as keyof typeof pages, id };
    const person = await signedIn(stack, await makeAccount(stack, company));
    for (const path of pages[company.kind])
      expect((await person.get(`/portal${path}`)).status, path).toBe(200);
  }
}

/** The searches of support, by everything that it finds cases by, and their pages. */
async function workInSupport({ stack }: RedemptionScene): Promise<void> {
  const { client } = await staffClient(stack);
  const terms = ['0911000001', '012345678901234567', 'RDM-0123456789ABCDEF', '17', 'reverse:4:0a'];
  const names = [
    randomUUID(),
    randomUUID().replaceAll('-', ''),
    voucherCodeFromRandom(randomBytes(15)),
  ];
  for (const what of [...terms, ...names])
    expect((await client.submit('/support', '/support/find', { what })).status).toBeLessThan(400);
  for (const kind of ['vouchers', 'topups'] as const) {
    const { id } = await stack.database
      .selectFrom(kind)
      .select('id')
      .orderBy('id')
      .limit(1)
      .executeTakeFirstOrThrow();
    const path = `/support/${kind === 'topups' ? 'top-ups' : kind}/${id}`;
    const { html } = await client.get(path);
    expect(html).toContain('What to do next');
    if (html.includes(`${path}/number`))
      expect((await client.submit(path, `${path}/number`)).status).toBe(200);
  }
}

function listenToStatements() {
  const query = pg.Client.prototype.query;
  return vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
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
}

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Filter?: string;
  readonly Plans?: readonly Plan[];
}

/**
 * The tables that a plan looks through from one end to the other. A limit ends a scan early, but not
 * where a filter may drop every row.
 */
function wholeTables(plan: Plan, isLimited = false): string[] {
  const { 'Node Type': type, 'Relation Name': table = '', Filter: filter } = plan;
  const isEndless = !plan['Index Cond'] && (!isLimited || filter !== undefined);
  const isWhole = type === 'Seq Scan' || (/^Index (Only )?Scan$/.test(type) && isEndless);
  const below = (plan.Plans ?? []).flatMap((part) =>
    wholeTables(part, isLimited || type === 'Limit'),
  );
  return isWhole && grownTables.includes(table) ? [`${type} of ${table}`, ...below] : below;
}

async function planOf(text: string, values: readonly unknown[]): Promise<Plan> {
  const { rows } = await client.query(`explain (format json) ${text}`, [...values]);
  return rows[0]['QUERY PLAN'][0].Plan;
}

test('no statement of a call or a Schedule looks through a table that grows', async () => {
  expect(statements.size).toBeGreaterThan(60);
  const found: string[] = [];
  for (const [text, values] of statements) {
    if (EXCEPTIONS.some((exception) => exception.text.test(text))) continue;
    const scans = wholeTables(await planOf(text, values));
    if (scans.length > 0) found.push(`${scans.join(', ')}: ${text.replace(/\s+/g, ' ')}`);
  }
  expect(found).toEqual([]);
}, 240_000);

test('a statement on each table that grows is among them', () => {
  const texts = [...statements.keys()];
  const isHeard = (table: string) => texts.some((text) => new RegExp(`\\b${table}\\b`).test(text));
  expect(grownTables.filter((table) => !isHeard(table))).toEqual([]);
});

test('the lists of top-ups walk an index in their order', async () => {
  for (const column of ['created_at', 'amount']) {
    const plan = await planOf(
      `select id from topups where partner_id = $1 order by ${column} desc, id desc limit 10`,
      [1],
    );
    expect(JSON.stringify(plan), column).not.toMatch(/"(Incremental )?Sort"|Seq Scan/);
  }
});

test('every exception is of a statement that is made', () => {
  for (const { text } of EXCEPTIONS)
    expect([...statements.keys()].some((statement) => text.test(statement))).toBe(true);
});

test('a statement that looks through a table is found', async () => {
  const plan = await planOf(`select id from vouchers where code_ciphertext = $1`, ['x']);
  expect(wholeTables(plan)).toEqual(['Seq Scan of vouchers']);
});
