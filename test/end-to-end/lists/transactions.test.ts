import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { archiveDays } from '../../../src/db/ledger/archives.ts';
import type { Month } from '../../../src/domain/statements.ts';
import { untilBooksAreChecked } from '../../db/ledger/checked-books.ts';
import { partnerClient, type RawPartner } from '../../support/clients.ts';
import { deposit, makePartner } from '../../support/companies.ts';
import { makeTopupProducts } from '../../support/topups.ts';
import { done } from '../gift/gift-scene.ts';
import { type RedemptionScene, redeem, setRedemptionScene } from '../gift/redemption-scene.ts';
import { sale } from '../topups/topup-scene.ts';

let scene: RedemptionScene;
let asPartner: RawPartner;
let partnerId: number;

beforeAll(async () => {
  scene = await setRedemptionScene();
  const { stack } = scene;
  const partner = await makePartner(stack);
  partnerId = partner.id;
  asPartner = await partnerClient(stack, partner);
  await makeTopupProducts(stack, partner);
  await deposit(stack, partner.id, '1000', 'airtime');
  const gift = await scene.gift({ partner, owner: null, denomination: 500 });
  done(await redeem(scene.asMerchant, gift, { amount: 200 }));
  const other = await scene.gift({ partner });
  done(await asPartner.post(`/vouchers/${other.id}/cancel`, undefined));
  for (const msisdn of ['+251911000050', '+251911000002'])
    await asPartner.post('/topup-transactions/airtime-topup', { amount: 50, msisdn, ...sale });
  await aged();
});
afterAll(() => scene?.stop());

/** Transfers are never changed; a test does, so that nobody waits for a minute. */
const aged = () =>
  scene.stack.database.transaction().execute(async (transaction) => {
    await sql`set local session_replication_role = replica`.execute(transaction);
    await sql`update ledger_transfers set created_at = created_at - interval '2 minutes'
      where created_at > now() - interval '1 minute'`.execute(transaction);
  });

type Row = Record<string, string | number | null>;

const page = async (query: string, client = asPartner) =>
  done(await client.get(`/transactions?${query}`)).body.data as {
    transactions: Row[];
    next: string;
    hasMore: boolean;
  };

/** All pages of a query. */
async function all(query: string, client = asPartner): Promise<Row[]> {
  const rows: Row[] = [];
  for (let after = '', hasMore = true; hasMore; ) {
    const read = await page(`${query}${after && `&after=${after}`}`, client);
    rows.push(...read.transactions);
    ({ next: after, hasMore } = read);
  }
  return rows;
}

/** The transfers of a delivered top-up, and of a redeemed voucher: step, from and to. */
const lives = {
  'top-up': [
    ['hold', 'airtime', 'airtime-hold'],
    ['post', 'airtime-hold', 'airtime-clearing'],
  ],
  voucher: [
    ['reserve', 'gift', 'reserved'],
    ['hold', 'reserved', 'gift-hold'],
    ['post-payment', 'gift-hold', 'mobile-money-clearing'],
  ],
} as const;

/** A time of many vouchers, as a bulk order makes them. */
const BULK_TIME = '2025-01-06T12:00:00.123456Z';

/** Six top-ups on each of three old days, and twelve vouchers of one time. */
async function addOldLives(partner: number): Promise<void> {
  const days = ['2025-01-05', '2025-01-06', '2025-01-07'];
  const made = [
    ...days.flatMap((day) =>
      [1, 2, 3, 4, 5, 6].map((hour) => ['top-up', `${day}T0${hour}:00:00Z`] as const),
    ),
    ...Array.from({ length: 12 }, () => ['voucher', BULK_TIME] as const),
  ];
  const rows = made.flatMap(([kind, at], number) =>
    lives[kind].map(([step, from, to]) => ({ at, operation: `old ${number}`, step, from, to })),
  );
  const column = (name: keyof (typeof rows)[number]) =>
    sql`${rows.map((row) => row[name])}::text[]`;
  await sql`
    insert into ledger_transfers (created_at, operation_id, step, debit_account_id, credit_account_id, amount)
    select at::timestamptz, operation, step, debit.id, credit.id, 5
    from unnest(${column('at')}, ${column('operation')}, ${column('step')}, ${column('from')},
      ${column('to')}) with ordinality as move (at, operation, step, debit_kind, credit_kind, place)
    join ledger_accounts as debit on debit.kind = debit_kind and debit.partner_id = ${partner}
    join ledger_accounts as credit on credit.kind = credit_kind
      and coalesce(credit.partner_id, ${partner}) = ${partner}
    order by place`.execute(scene.stack.database);
}

const file = (query: string, accept = 'text/csv') =>
  fetch(`${asPartner.base}/transactions?${query}`, {
    headers: { 'x-api-token': asPartner.token, Accept: accept },
  });

describe('GET /transactions', () => {
  it('shows what changed each wallet, and adds up to its balance', async () => {
    const rows = await all('order=oldest&limit=200');
    const of = (wallet: string) =>
      rows.filter((row) => row.wallet === wallet).map(({ kind, amount }) => [kind, Number(amount)]);
    expect(of('gift')).toEqual([
      ['deposit', 100_000],
      ['voucher-generated', -500],
      ['voucher-generated', -100],
      ['voucher-cancelled', 100],
    ]);
    expect(of('reserved')).toEqual([
      ['voucher-generated', 500],
      ['redemption', -200],
      ['service-fee', -5],
      ['voucher-generated', 100],
      ['voucher-cancelled', -100],
    ]);
    expect(of('airtime')).toEqual([
      ['deposit', 1_000],
      ['top-up', -50],
      ['top-up', -50],
      ['top-up-returned', 50],
    ]);
    const balances = done(await asPartner.get('/info/get-current-balance')).body.data;
    const sum = (wallet: string) =>
      of(wallet).reduce((total, [, amount]) => total + Number(amount), 0);
    expect(['airtime', 'gift', 'reserved'].map(sum)).toEqual([
      balances.walletBalance,
      balances.eMoneyWalletBalance,
      balances.reservedBalance,
    ]);
    const redeemed = rows.find(({ kind }) => kind === 'redemption');
    expect(redeemed?.reference).toMatch(/^RDM-/);
    expect(redeemed?.voucherId).toEqual(expect.any(Number));
  });

  it.each(['order=oldest&limit=1', 'order=newest&limit=1', 'order=oldest&limit=5'])(
    'pages by %s leave nothing out, and nothing comes twice',
    async (query) => {
      const whole = (await page(query.replace(/\d+$/, '200'))).transactions;
      expect(await all(query)).toEqual(whole);
      expect(new Set(whole.map(({ id }) => id)).size).toBe(13);
    },
  );

  it('is filtered by wallet, kind and time, also in pages', async () => {
    const returned = await all('kind=top-up-returned&kind=voucher-cancelled&limit=1');
    expect(returned.map(({ wallet }) => wallet)).toEqual(['airtime', 'reserved', 'gift']);
    expect((await all('wallet=gift')).every(({ wallet }) => wallet === 'gift')).toBe(true);
    expect(await all('to=2020-01-01T00:00:00Z')).toEqual([]);
    expect(await all('from=2100-01-01T00:00:00Z')).toEqual([]);
  });

  it.each([
    ['text/csv', 'text/csv'],
    ['text/csv, application/json;q=0.9', 'text/csv'],
    ['application/json;q=0.8, Text/CSV', 'text/csv'],
    ['text/csv, */*;q=0.1', 'text/csv'],
    ['text/csv; charset=utf-8', 'text/csv'],
    ['text/csv;header=present;q=0.9, */*;q=0.1', 'text/csv'],
    ['application/json, text/csv;q=0.5', 'application/json'],
    ['application/json; charset=utf-8, text/csv;q=0.5', 'application/json'],
    ['*/*, text/csv;q=0', 'application/json'],
    ['*/*', 'application/json'],
    ['text/html', 'application/json'],
  ])('is in the form that a caller prefers: %s', async (accept, type) => {
    const answer = await file('limit=1', accept);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('Content-Type')).toBe(`${type}; charset=utf-8`);
    await answer.text();
  });

  it('is a file where the caller asks for one, with all rows and without formulas', async () => {
    const answer = await file('order=oldest&limit=1');
    expect(answer.headers.get('Content-Type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('Content-Disposition')).toContain('transactions.csv');
    const text = await answer.text();
    const lines = text.trim().split('\r\n');
    const rows = await all('order=oldest');
    expect(lines).toHaveLength(rows.length + 1);
    expect(lines[0]).toContain('"id","createdAt","wallet","kind","amount"');
    expect(text).toContain('"-500.000000"');
    const formula = await scene.stack.database.transaction().execute(async (transaction) => {
      await sql`set local session_replication_role = replica`.execute(transaction);
      return sql`update ledger_transfers set operation_id = 'deposit:=1+1'
        where operation_id like 'deposit:%' and credit_account_id in (
          select id from ledger_accounts where partner_id = ${partnerId} and kind = 'gift')`.execute(
        transaction,
      );
    });
    expect(formula.numAffectedRows).toBe(1n);
    expect(await (await file('kind=deposit&wallet=gift')).text()).toContain(`"'=1+1"`);
  });

  it('ends a minute ago, where a reader goes forward', async () => {
    const before = await page('order=oldest&limit=200');
    await deposit(scene.stack, partnerId, '1');
    const [newest] = (await page('limit=1')).transactions;
    expect(newest).toMatchObject({ kind: 'deposit', amount: '1.000000' });
    const on = await page(`order=oldest&after=${before.next}`);
    expect(on).toEqual({ transactions: [], next: before.next, hasMore: false });
    await aged();
    const { transactions } = await page(`order=oldest&after=${before.next}`);
    expect(transactions).toMatchObject([{ id: newest?.id, kind: 'deposit' }]);
  });

  it.each([
    ...['wallet=money', 'after=x', 'limit=0', 'order=up', 'from=yesterday', 'kind=gift'],
    // PostgreSQL reads neither.
    ...['from=0000-01-01T00:00:00Z', 'to=2026-01-31T00:00:00%2B16:00'],
  ])('refuses %s', async (query) => {
    expect((await asPartner.get(`/transactions?${query}`)).status).toBe(400);
  });

  it('shows nothing of another company', async () => {
    const other = await partnerClient(scene.stack, await makePartner(scene.stack));
    const { transactions } = done(await other.get('/transactions')).body.data;
    expect(transactions.map(({ kind }: Row) => kind)).toEqual(['deposit']);
  });

  it('leaves nothing out of archived days', async () => {
    const { database } = scene.stack;
    const partner = await makePartner(scene.stack);
    const client = await partnerClient(scene.stack, partner);
    await deposit(scene.stack, partner.id, '1000', 'airtime');
    await addOldLives(partner.id);
    await untilBooksAreChecked(database);
    await aged();
    const ranges = ['', `&from=${BULK_TIME}`, '&to=2025-01-06T12:00:00.123Z'];
    const queries = ['wallet=airtime&', 'wallet=gift&', ''].flatMap((wallet) =>
      ['oldest', 'newest'].flatMap((order) =>
        ranges.map((range) => `${wallet}order=${order}&limit=5${range}`),
      ),
    );
    const read = () =>
      Promise.all(queries.map(async (query) => [query, await all(query, client)] as const));
    const before = await read();
    expect(before[0]?.[1]).toHaveLength(19);
    const folder = await mkdtemp(join(tmpdir(), 'archive-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    expect(await archiveDays(database, { folder, before: '2025-02' as Month })).toBe(72);
    expect(await read()).toEqual(before);
  });
});
