import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { sql } from 'kysely';
import { topUpId } from '../workflows/workflow-ids.js';
import { call, merchantClient } from './support/clients.js';
import { makeMerchant } from './support/companies.js';
import { depositAirtime, makeTopupProducts } from './support/topups.js';
import { CLAIM, GENERATE, REDEEM, setGiftScene, newOwner, otherCode, type GiftScene } from './end-to-end/gift-scene.js';

let s: GiftScene;
let n = 0;
const number = (suffix: string) => `+2519${String(++n + 50000).padStart(5, '0')}${suffix}`;
const sale = { exchangeRate: 57.2, currency: 'USD', originatingCountry: 'US' };
beforeAll(async () => {
  s = await setGiftScene({ CALLER_WAIT_SECONDS: '2' });
  await makeTopupProducts(s.stack, s.partner);
  await depositAirtime(s.stack, s.partner.id, '1000');
});
afterAll(() => s?.stop().catch((e) => console.log('STOP', String(e).slice(0, 600))));
const topUp = (body: object, headers = {}) => s.asPartner.post('/topup-transactions/airtime-topup', { amount: 50, ...sale, ...body }, headers);
const retry = (body: object, headers = {}) => s.asPartner.post('/topup-transactions/retry-topup', body as never, headers);
const show = async (id: number) => (await s.asPartner.get(`/topup-transactions/${id}`)).body.data;
const handleOf = async (id: number) => {
  const row = await s.stack.database.selectFrom('topups').select('operation_id').where('id', '=', id).executeTakeFirstOrThrow();
  return s.stack.temporal.client.workflow.getHandle(topUpId(row.operation_id));
};
const sleep = (ms: number) => new Promise((r) => setTimeout(r, ms));

describe('P1 background', () => {
  it('workflow ends while a second redemption is running', async () => {
    const slow = await makeMerchant(s.stack, { payoutSuffix: '014' });
    const gift = await s.gift({ owner: null, isRestricted: false });
    // first: paid at once, confirmation to a number whose SMS provider takes 300 s * 0.02 = 6 s
    const first = await s.asPartner.post(REDEEM, { voucherCode: gift.voucherCode, amount: 10, msisdn: newOwner('300') });
    console.log('P1 first', first.status, JSON.stringify(first.body).slice(0, 150));
    const second = await s.asPartner.post(REDEEM, { voucherCode: gift.voucherCode, amount: 20, merchantId: slow.id });
    console.log('P1 second', second.status, JSON.stringify(second.body).slice(0, 200));
    const ids = [];
    for await (const w of s.stack.temporal.client.workflow.list({ query: `TaskQueue = '${s.stack.config.TEMPORAL_TASK_QUEUE}' and WorkflowType = 'redeemVoucher'` })) ids.push([w.workflowId, w.status.name]);
    console.log('P1 before', JSON.stringify(ids), JSON.stringify(await s.voucher(gift)));
    await sleep(8000);
    const ids2 = [];
    for await (const w of s.stack.temporal.client.workflow.list({ query: `TaskQueue = '${s.stack.config.TEMPORAL_TASK_QUEUE}' and WorkflowType = 'redeemVoucher'` })) ids2.push([w.workflowId, w.status.name]);
    console.log('P1 after', JSON.stringify(ids2), JSON.stringify(await s.voucher(gift)));
    await s.settlePayout(slow, 'completed');
    await sleep(3000);
    console.log('P1 3s after provider completed:', JSON.stringify(await s.voucher(gift)), JSON.stringify(s.payoutsTo(slow)));
    const again = await s.asPartner.post(REDEEM, { voucherCode: gift.voucherCode, amount: 20, merchantId: slow.id });
    console.log('P1 again', again.status, JSON.stringify(again.body).slice(0, 200));
  }, 60000);
});

describe('P2 generate after prune', () => {
  it('loops', async () => {
    const body = { denominationId: s.partner.denominations[100], merchantId: s.merchant.id, msisdn: null };
    const h = { 'Idempotency-Key': 'order-1' };
    const a = await s.asPartner.post(GENERATE, body, h);
    await s.stack.database.deleteFrom('operations').where('kind', '=', 'generate-voucher').execute();
    const count = async () => Number((await sql<{ c: number }>`select xact_rollback as c from pg_stat_database where datname = current_database()`.execute(s.stack.database)).rows[0]?.c);
    const before = await count();
    const b = await s.asPartner.post(GENERATE, body, h);
    console.log('P2', a.status, b.status, JSON.stringify(b.body));
    await sleep(1500);
    const mid = await count();
    await sleep(3000);
    console.log('P2 rollbacks', before, mid, await count());
    // stop the loop: give the row back
    await sql`insert into operations (id, company_kind, company_id, kind, request_id, request_digest, status, outcome)
      select operation_id, 'partner', partner_id, 'generate-voucher', gen_random_uuid(), 'x', 'SUCCEEDED', jsonb_build_object('ok', true, 'voucherId', id) from vouchers where id = ${Number(a.body.data.voucher.id)} on conflict do nothing`.execute(s.stack.database);
  }, 60000);
});

describe('P3 wrong codes', () => {
  it('uncounted guesses', async () => {
    const gift = await s.gift();
    const m = s.asMerchant;
    let evaluated = 0;
    const idempotencyKey = randomUUID();
    for (let round = 0; round < 4; round += 1) {
      const code = await s.claimed(m, gift);
      const guesses = ['000001', '000002', '000003', '000004'].filter((g) => g !== code);
      for (const g of guesses) {
        const r = await m.post(REDEEM, { voucherCode: gift.voucherCode, verificationCode: g, idempotencyKey });
        if (r.body.statusCode === 4035 && r.headers.get('Idempotent-Replayed') === null) evaluated += 1;
        else console.log('P3 other', round, g, r.body.statusCode, r.headers.get('Idempotent-Replayed'));
      }
    }
    const rows = await s.stack.database.selectFrom('verification_attempts').selectAll().where('voucher_id', '=', gift.id).execute();
    console.log('P3 evaluated guesses', evaluated, 'counted', rows.length);
  }, 60000);
});

describe('P4 top-up retries', () => {
  it('a retry signal while the attempt runs makes another by itself later', async () => {
    const t = await topUp({ msisdn: number('014') });
    const id = t.body.data.transactionId;
    const h = await handleOf(id);
    await h.signal('retry');
    const { attempts } = await show(id);
    await call(`${s.stack.sandbox.url}/books/topups/${attempts[0].ourReference}`, { body: { status: 'failed' } });
    await sleep(3000);
    const after = await show(id);
    console.log('P4a', after.status, after.attempt, JSON.stringify(after.attempts.map((a: any) => [a.attempt, a.status])));
    for (const a of after.attempts.slice(1)) await call(`${s.stack.sandbox.url}/books/topups/${a.ourReference}`, { body: { status: 'completed' } });
  }, 60000);
  it('parallel retries to different numbers', async () => {
    const t = await topUp({ msisdn: number('002') });
    const id = t.body.data.transactionId;
    const [x, y] = [number('100'), number('100')];
    const [rx, ry] = await Promise.all([retry({ transactionId: id, msisdn: x }, { 'Idempotency-Key': randomUUID() }), retry({ transactionId: id, msisdn: y }, { 'Idempotency-Key': randomUUID() })]);
    const books = async (to: string) => (await call(`${s.stack.sandbox.url}/books?to=${encodeURIComponent(to)}`)).body.topups.length;
    console.log('P4b', rx.status, JSON.stringify(rx.body.data), ry.status, JSON.stringify(ry.body.data), 'books', await books(x), await books(y));
    const h = await handleOf(id);
    await sleep(1000);
    console.log('P4c after delivered retry the workflow is', (await h.describe()).status.name, (await show(id)).status);
  }, 60000);
  it('joined retry repeated with its own key', async () => {
    const t = await topUp({ msisdn: number('002') });
    const id = t.body.data.transactionId;
    const x = number('102'); // slow, then refused
    const k1 = { 'Idempotency-Key': randomUUID() }, k2 = { 'Idempotency-Key': randomUUID() };
    const [r1, r2] = await Promise.all([retry({ transactionId: id, msisdn: x }, k1), retry({ transactionId: id, msisdn: x }, k2)]);
    const again1 = await retry({ transactionId: id, msisdn: x }, k1);
    const again2 = await retry({ transactionId: id, msisdn: x }, k2);
    console.log('P4d', r1.status, r2.status, again1.status, again1.headers.get('Idempotent-Replayed'), again2.status, again2.headers.get('Idempotent-Replayed'), JSON.stringify((await show(id)).attempts.map((a: any) => [a.attempt, a.status])));
  }, 60000);
  it('repeat of a running retry under its key', async () => {
    const t = await topUp({ msisdn: number('002') });
    const id = t.body.data.transactionId;
    const x = number('114');
    const k = { 'Idempotency-Key': randomUUID() };
    const r1 = await retry({ transactionId: id, msisdn: number('014') }, k);
    void x;
    const { attempts } = await show(id);
    const again = await retry({ transactionId: id, msisdn: attempts.at(-1).msisdn.includes('*') ? undefined : x }, k);
    const again2 = await retry({ transactionId: id, msisdn: `+2519${String(n + 50000).padStart(5, '0')}014` }, k);
    console.log('P4e', r1.status, JSON.stringify(r1.body.data), again.status, again.body.message, '|', again2.status, again2.body.message);
    await call(`${s.stack.sandbox.url}/books/topups/${attempts.at(-1).ourReference}`, { body: { status: 'completed' } });
  }, 60000);
});

describe('P5 stale top-up row', () => {
  it('a corrected request runs with the old content', async () => {
    const a = number('000'), b = number('000');
    const key = { 'Idempotency-Key': randomUUID() };
    const r = await topUp({ msisdn: a, amount: 2000 }, key);
    console.log('P5 A', r.status, r.body.message);
    const { id } = await s.stack.database.selectFrom('operations').select('id').where('kind', '=', 'top-up').orderBy('created_at', 'desc').limit(1).executeTakeFirstOrThrow();
    // the API died before it discarded the row, or its caller had waited long enough
    await sql`insert into topups (operation_id, partner_id, kind, amount, msisdn, exchange_rate, currency, originating_country) values (${id}, ${s.partner.id}, 'AIRTIME', 2000, ${a}, '57.2', 'USD', 'US')`.execute(s.stack.database);
    await depositAirtime(s.stack, s.partner.id, '5000');
    const r2 = await topUp({ msisdn: b, amount: 50 }, key);
    const books = async (to: string) => JSON.stringify((await call(`${s.stack.sandbox.url}/books?to=${encodeURIComponent(to)}`)).body.topups);
    console.log('P5 B asked 50 to b:', r2.status, JSON.stringify(r2.body), 'to a', await books(a), 'to b', await books(b));
  }, 60000);
  it('P8 key reused after prune', async () => {
    const a = number('000');
    const key = { 'Idempotency-Key': randomUUID() };
    const r = await topUp({ msisdn: a }, key);
    await s.stack.database.deleteFrom('operations').where('status', '<>', 'RUNNING').execute();
    const r2 = await topUp({ msisdn: a }, key);
    console.log('P8', r.status, r2.status, JSON.stringify(r2.body));
  }, 60000);
});

describe('P9 keyless anonymous partial, told to repeat', () => {
  it('pays twice', async () => {
    const slow = await makeMerchant(s.stack, { payoutSuffix: '014' });
    const gift = await s.gift({ owner: null, isRestricted: false });
    const body = { voucherCode: gift.voucherCode, amount: 20, merchantId: slow.id };
    const one = await s.asPartner.post(REDEEM, body);
    await s.settlePayout(slow, 'completed');
    await s.untilStatus(gift, 'ACTIVE');
    const two = await s.asPartner.post(REDEEM, body);
    await s.untilPaidTo(slow);
    await sleep(300);
    console.log('P9', one.status, one.body.message, two.status, two.body.message, JSON.stringify(s.payoutsTo(slow).map((p: any) => [p.amount, p.status])));
    await Promise.all(s.payoutsTo(slow).map((p: any) => call(`${s.stack.sandbox.url}/books/payouts/${p.reference}`, { body: { status: 'completed' } })));
  }, 60000);
});

describe('P7 lost workflow', () => {
  it('resumed send that is not sent voids a delivered top-up', async () => {
    const a = number('014');
    const key = { 'Idempotency-Key': randomUUID() };
    const r = await topUp({ msisdn: a }, key);
    const id = r.body.data.transactionId;
    const h = await handleOf(id);
    await h.terminate('by hand');
    const { attempts } = await show(id);
    await call(`${s.stack.sandbox.url}/books/topups/${attempts[0].ourReference}`, { body: { status: 'completed' } });
    await sleep(500);
    console.log('P7 after terminate', (await show(id)).status, JSON.stringify((await call(`${s.stack.sandbox.url}/books?to=${encodeURIComponent(a)}`)).body.topups));
    const before = (await s.asPartner.get('/info/get-current-balance')).body.data.walletBalance;
    await s.stack.sandbox.close();
    const r2 = await topUp({ msisdn: a }, key);
    await sleep(3000);
    console.log('P7', r2.status, JSON.stringify(r2.body), JSON.stringify(await show(id)), before, (await s.asPartner.get('/info/get-current-balance')).body.data.walletBalance);
  }, 60000);
});
