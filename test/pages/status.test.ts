import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase, type Database } from '../../src/db/connection.ts';
import { createStatusReader } from '../../src/pages/status.ts';
import { type RepairScene, setRepairScene } from '../end-to-end/repairs/repair-scene.ts';
import type { Stack } from '../support/stack.ts';
import { until } from '../support/until.ts';

let scene: RepairScene;
let stack: Stack;
/** As an API has it. */
let database: Database;

beforeAll(async () => {
  scene = await setRepairScene();
  stack = scene.stack;
  database = connectDatabase(stack.urlFor('api'), { poolSize: 1 });
});
afterAll(async () => {
  await database?.destroy();
  await scene?.stop();
});

const get = (accept: string, path = '/status', method = 'GET') =>
  fetch(stack.url + path, { method, headers: { accept } });

const isNotFenced = { isFenced: () => false };
const reads = (temporal: () => Promise<void>, freshMs = 0) =>
  createStatusReader({ database, fence: isNotFenced }, temporal, freshMs);

test('tells programs and people that every part works, without a sign-in', async () => {
  await until(async () => {
    const answer = await get('*/*');
    expect(answer.status).toBe(200);
    const { checkedAt, parts } = JSON.parse(await answer.text());
    expect(Date.now() - Date.parse(checkedAt)).toBeLessThan(60_000);
    expect(parts).toEqual(
      [
        ['api', 'API and portal'],
        ['codes', 'Codes by SMS'],
        ['payments', 'Payments to merchants'],
        ['top-ups', 'Top-ups'],
        ['webhooks', 'Webhooks'],
      ].map(([part, name]) => ({ part, name, state: 'working', since: null })),
    );
  });
  const page = await get('text/html');
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.headers.get('cache-control')).toBe('public, max-age=5');
  expect(page.headers.get('vary')).toBe('Accept');
  const text = await page.text();
  expect(text).toContain('<h1>Every part of the service works</h1>');
  expect(text.match(/class="badge success"/g)).toHaveLength(5);
  expect(text).toContain('Times are in Africa/Addis Ababa (UTC+03:00).');
});

test('has one page, which is read only', async () => {
  expect((await get('text/html', '/status', 'POST')).status).toBe(405);
  const missing = await get('text/html', '/status/secret');
  expect(missing.status).toBe(404);
  expect(await missing.text()).toContain('There is no such page');
});

test('the confirmation of a payment that nobody knows the end of holds up no code', async () => {
  await scene.voucherIn('paying');
  await sql`update messages set created_at = created_at - interval '1 hour'
    where settled_at is null`.execute(stack.database);
  const { parts } = await reads(async () => undefined)();
  expect(parts.find(({ part }) => part === 'codes')?.condition).toBe('working');
});

test('a text message that waits holds up the codes only where it is a code', async () => {
  const { gift } = await scene.voucherIn('redeemed');
  const anHourAgo = new Date(Date.now() - 3_600_000);
  await sql`update redemptions set settled_at = ${anHourAgo} where voucher_id = ${gift.id}`.execute(
    stack.database,
  );
  const codesWhile = async (kind: string) => {
    const setSettled = (settledAt: Date | null) =>
      sql`update messages set settled_at = ${settledAt}, created_at = ${anHourAgo}
        where voucher_id = ${gift.id} and kind = ${kind}`.execute(stack.database);
    await setSettled(null);
    const { parts } = await reads(async () => undefined)();
    await setSettled(anHourAgo);
    return parts.find(({ part }) => part === 'codes')?.condition;
  };
  expect(await codesWhile('REDEMPTION_CONFIRMATION')).toBe('working');
  expect(await codesWhile('VERIFICATION_CODE')).toBe('not working');
});

test('an outage counts from the first look that notices it, and ends', async () => {
  let isDown = true;
  const read = reads(async () => {
    if (isDown) throw new Error('down');
  });
  const first = await read();
  expect(new Set(first.parts.map(({ condition }) => condition))).toEqual(new Set(['not working']));
  const second = await read();
  expect(second.checkedAt).not.toEqual(first.checkedAt);
  expect(second.parts[0]?.since).toEqual(first.checkedAt);
  isDown = false;
  const third = await read();
  expect(third.parts[0]).toEqual({ part: 'api', condition: 'working', since: null });
});

test('many readers share one look', async () => {
  let looks = 0;
  const read = reads(async () => {
    looks += 1;
  }, 60_000);
  const [one, other] = await Promise.all([read(), read()]);
  expect(one).toBe(other);
  expect(await read()).toBe(one);
  expect(looks).toBe(1);
});

test('without the database no part works, and the page still answers', async () => {
  const gone = connectDatabase('postgres://reader@127.0.0.1:1/none', { poolSize: 1 });
  const read = createStatusReader({ database: gone, fence: isNotFenced }, async () => undefined);
  const { parts } = await read();
  expect(new Set(parts.map(({ condition }) => condition))).toEqual(new Set(['not working']));
  await gone.destroy();
});
