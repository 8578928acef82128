import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { listCalls, listRefusedCalls } from '../../../src/db/access/calls.ts';
import { connectDatabase } from '../../../src/db/connection.ts';
import type { Company } from '../../../src/domain/vouchers/voucher.ts';
import { type CallRecorder, createCallRecorder } from '../../../src/http/call-log.ts';
import { type OpenDatabase, openDatabase } from '../../db/open-database.ts';

let open: OpenDatabase;
let now = Date.now();
let recorder: CallRecorder;
const logger = pino({ level: 'silent' });

beforeAll(async () => {
  open = await openDatabase();
});
beforeEach(() => {
  recorder = createCallRecorder(open.database, { logger, intervalMs: 3_600_000, now: () => now });
});
afterAll(() => open?.close());

const refusal = (sourceAddress: string, reason = 'token-invalid') => ({
  at: new Date(now),
  surface: 'partner',
  method: 'GET',
  route: '/test',
  sourceAddress,
  apiKeyId: null,
  requestId: 'request',
  company: null,
  keyPrefix: null,
  reason,
});

const written = async (sourceAddress: string) =>
  (await listRefusedCalls(open.database, { sourceAddress, limit: 1_000 })).map(
    (row) => row.leftOut,
  );

test('of a flood the first five are written, and the rest as a count when the minute is over', async () => {
  for (let count = 0; count < 1_000; count += 1) recorder.refused(refusal('192.0.2.1'));
  recorder.refused(refusal('192.0.2.1', 'api-key-invalid'));
  await recorder.flush();
  expect(await written('192.0.2.1')).toEqual([0, 0, 0, 0, 0, 0]);
  now += 60_000;
  await recorder.flush();
  expect(await written('192.0.2.1')).toEqual([994, 0, 0, 0, 0, 0, 0]);
  recorder.refused(refusal('192.0.2.1'));
  await recorder.stop();
  expect(await written('192.0.2.1')).toEqual([0, 994, 0, 0, 0, 0, 0, 0]);
});

test('a flood from the addresses of one IPv6 network is one burst', async () => {
  for (let count = 0; count < 20_000; count += 1)
    recorder.refused(refusal(`2001:db8::${count.toString(16)}`));
  await recorder.stop();
  const rows = await ofReason('token-invalid');
  const network = rows.filter((row) => row.sourceAddress.startsWith('2001:db8::'));
  expect(network.map(({ leftOut }) => leftOut)).toEqual([19_994, 0, 0, 0, 0, 0]);
});

/** One call from each of so many networks. */
const flood = (count: number, reason: string) => {
  for (let network = 0; network < count; network += 1)
    recorder.refused(refusal(`2001:db8:${network.toString(16)}::1`, reason));
};
const ofReason = (reason: string) => listRefusedCalls(open.database, { limit: 10_000, reason });

test('a flood of nobody’s calls fills a few rows, and hides nothing that is refused to a company', async () => {
  const company = { kind: 'partner', id: 4_712 } as const;
  flood(20_000, 'flood');
  recorder.refused({ ...refusal('192.0.2.4', 'flood'), company });
  await recorder.flush();
  const rows = await ofReason('flood');
  expect(rows.filter(({ companyId }) => companyId === company.id)).toHaveLength(1);
  expect(rows.filter(({ companyId }) => companyId === null)).toHaveLength(10);
  await recorder.stop();
  const rest = (await ofReason('flood')).filter((row) => row.sourceAddress === 'several');
  expect(rest.map(({ leftOut }) => leftOut)).toEqual([20_000 - 10 - 1]);
});

test('what nobody’s calls fill in an hour ends too, and the rest is one row for each reason', async () => {
  for (let write = 0; write < 120; write += 1) {
    flood(10, 'hour');
    await recorder.flush();
    now += 10_000;
  }
  expect(await ofReason('hour')).toHaveLength(1_000);
  now += 3_600_000;
  await recorder.flush();
  const [rest, ...rows] = await ofReason('hour');
  expect(rest).toMatchObject({ sourceAddress: 'several', keyPrefix: null, companyId: null });
  const told = [rest, ...rows].reduce((sum, row) => sum + 1 + (row?.leftOut ?? 0), 0);
  expect(told).toBe(1_200);
  flood(1, 'hour');
  await recorder.flush();
  expect(await ofReason('hour')).toHaveLength(rows.length + 2);
});

test('a flood of one company hides nothing that is refused to another', async () => {
  const flooding = { kind: 'partner', id: 4_713 } as const;
  const other = { kind: 'partner', id: 4_714 } as const;
  for (let count = 0; count < 200; count += 1)
    recorder.refused({ ...refusal(`198.51.100.${count}`), company: flooding });
  recorder.refused({ ...refusal('192.0.2.5'), company: other });
  await recorder.stop();
  const rowsOf = (company: Company) => listRefusedCalls(open.database, { company, limit: 1_000 });
  expect(await rowsOf(flooding)).toHaveLength(20);
  expect(await rowsOf(other)).toHaveLength(1);
});

test('stopping writes what has gathered', async () => {
  const company = { kind: 'merchant', id: 4_711 } as const;
  for (let count = 0; count < 8; count += 1) recorder.refused(refusal('192.0.2.2'));
  const { reason, keyPrefix, ...call } = refusal('192.0.2.2');
  for (const statusCode of [201, 202, 203, 204, 205, 206, 207])
    recorder.admitted({ ...call, company, statusCode });
  await recorder.stop();
  expect(await written('192.0.2.2')).toEqual([2, 0, 0, 0, 0, 0]);
  const admitted = await listCalls(open.database, company, 100);
  expect(admitted.map(({ statusCode }) => statusCode).sort()).toEqual([203, 204, 205, 206, 207]);
});

test('refusals wait for a database that is away', async () => {
  const nowhere = connectDatabase('postgres://127.0.0.1:1/none', { poolSize: 1 });
  let database = nowhere;
  const follower = new Proxy(open.database, {
    get: (_target, name) => {
      const value: unknown = Reflect.get(database, name);
      return typeof value === 'function' ? value.bind(database) : value;
    },
  });
  const waiting = createCallRecorder(follower, { logger, intervalMs: 3_600_000, now: () => now });
  waiting.refused(refusal('192.0.2.3'));
  await waiting.flush();
  database = open.database;
  await waiting.stop();
  expect(await written('192.0.2.3')).toEqual([0]);
  await nowhere.destroy();
});
