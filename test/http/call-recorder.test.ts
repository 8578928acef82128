import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { listCalls, listRefusedCalls } from '../../src/db/calls.js';
import { connectDatabase } from '../../src/db/connection.js';
import { type CallRecorder, createCallRecorder } from '../../src/http/call-recorder.js';
import { type OpenDatabase, openDatabase } from '../db/open-database.js';

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

test('a flood from many addresses is written only as far as a few rows', async () => {
  for (let count = 0; count < 20_000; count += 1) recorder.refused(refusal(`2001:db8::${count}`));
  await recorder.stop();
  const rows = await listRefusedCalls(open.database, { limit: 1_000, reason: 'token-invalid' });
  expect(rows.filter((row) => row.sourceAddress.startsWith('2001:db8::'))).toHaveLength(50);
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
