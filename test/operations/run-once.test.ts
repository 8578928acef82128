import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDigests } from '../../src/crypto/digests.ts';
import { connectDatabase, type Database } from '../../src/db/connection.ts';
import type { OperationsTable } from '../../src/db/generated/tables.ts';
import {
  beginOperation,
  findOperation,
  outcomeFor,
  settleOperation,
} from '../../src/db/operations.ts';
import { type Refusal, refuse } from '../../src/domain/refusals.ts';
import type { Services } from '../../src/http/services.ts';
import {
  StillProcessingError,
  WorkflowsUnavailableError,
} from '../../src/operations/call-errors.ts';
import {
  createOperationWaits,
  identify,
  type RequestIdentity,
  type Run,
  runOnce,
} from '../../src/operations/run-once.ts';
import { createLogger } from '../../src/runtime/process/logger.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';

const KIND = 'redeem-gift';
const CALLER_WAIT_MS = 1_000;
const success = { ok: true, reference: 'MM1' } as const;

let testDatabase: TestDatabase;
let database: Database;
let services: Services;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = connectDatabase(testDatabase.url, { poolSize: 2 });
  const logger = createLogger('silent', 'test');
  const waits = createOperationWaits({ database, logger, callerWaitMs: CALLER_WAIT_MS });
  services = {
    database,
    waits,
    digests: createDigests({ digestKey: randomBytes(32) }),
  } as Services;
});
afterAll(async () => {
  await database?.destroy();
  await testDatabase?.drop();
});

const request = {
  company: { kind: 'merchant', id: 7 },
  kind: KIND,
  key: 'order-17',
  content: { voucherCode: 'A', amount: '10' },
} as const;

describe('identify', () => {
  it('gives the same request the same identity, and each sending an id of its own', () => {
    const [one, two] = [identify(services, request), identify(services, request)];
    expect({ ...one, requestId: '' }).toEqual({ ...two, requestId: '' });
    expect(one.requestId).not.toBe(two.requestId);
    expect(one).toMatchObject({ hasKey: true, company: request.company });
    expect(one.operationId).toMatch(/^[0-9a-f]{32}$/);
  });

  it.each([
    ['another key', { key: 'order-18' }],
    ['another endpoint', { kind: 'initiate-claim' }],
    ['another merchant', { company: { kind: 'merchant', id: 8 } }],
    ['a partner with the same id', { company: { kind: 'partner', id: 7 } }],
    ['no key', { key: undefined }],
  ] as const)('makes another operation of %s', (_name, change) => {
    const { operationId } = identify(services, request);
    expect(identify(services, { ...request, ...change }).operationId).not.toBe(operationId);
  });

  it('makes an operation of every request without a key', () => {
    const withoutKey = { ...request, key: undefined };
    const [one, two] = [identify(services, withoutKey), identify(services, withoutKey)];
    expect(one.operationId).not.toBe(two.operationId);
    expect(one.hasKey).toBe(false);
  });

  it('tells another content under the same key', () => {
    const one = identify(services, request);
    const two = identify(services, { ...request, content: { voucherCode: 'A', amount: '11' } });
    expect(two.operationId).toBe(one.operationId);
    expect(two.requestDigest).not.toBe(one.requestDigest);
  });

  it('tells the same content without a key', () => {
    const one = identify(services, { ...request, key: undefined });
    const [same, keyed] = [
      identify(services, { ...request, key: undefined }),
      identify(services, request),
    ];
    expect(same.requestDigest).toBe(one.requestDigest);
    expect(keyed.requestDigest).not.toBe(one.requestDigest);
  });

  it('shows neither key nor content', () => {
    expect(JSON.stringify(identify(services, request))).not.toMatch(/order-17|voucherCode/);
  });
});

describe('runOnce', () => {
  let identity: RequestIdentity;
  const run = vi.fn<Run<typeof success>>();

  beforeEach(() => {
    identity = identify(services, { ...request, key: randomUUID() });
    run.mockReset();
    run.mockImplementation(async () => outcomeFor(identity, success));
  });

  /** Another request under the same key. */
  const other = (): RequestIdentity => ({
    ...identity,
    requestId: randomUUID(),
    requestDigest: 'digest of another request',
  });
  const repeated = (): RequestIdentity => ({ ...identity, requestId: randomUUID() });

  const store = (status: OperationsTable['status'], result: typeof success | Refusal) =>
    database.transaction().execute(async (transaction) => {
      await beginOperation(transaction, identity, KIND);
      if (status !== 'RUNNING')
        await settleOperation(transaction, identity.operationId, status, result);
    });

  it('runs what nobody has asked before', async () => {
    expect(await runOnce(services, identity, run)).toEqual({ result: success, replayed: false });
  });

  it.each([
    ['SUCCEEDED', success],
    ['FAILED', refuse('payment-refused', { detail: 'blocked' })],
    ['REFUSED', refuse('verification-code-incorrect')],
  ] as const)('replays what %s, without running it again', async (status, result) => {
    await store(status, result);
    expect(await runOnce(services, repeated(), run)).toEqual({ result, replayed: true });
    expect(run).not.toHaveBeenCalled();
  });

  it.each([
    ['SUCCEEDED', success],
    ['FAILED', refuse('payment-refused')],
    ['RUNNING', success],
  ] as const)('refuses another request under a key that is %s', async (status, result) => {
    await store(status, result);
    expect(await runOnce(services, other(), run)).toEqual({
      result: refuse('key-reused'),
      replayed: false,
    });
    expect(run).not.toHaveBeenCalled();
  });

  it('runs a corrected request after a refusal', async () => {
    await store('REFUSED', refuse('verification-code-incorrect'));
    const corrected = other();
    run.mockImplementation(async () => outcomeFor(corrected, success));
    expect(await runOnce(services, corrected, run)).toEqual({ result: success, replayed: false });
  });

  const settle = () =>
    database
      .transaction()
      .execute((transaction) =>
        settleOperation(transaction, identity.operationId, 'SUCCEEDED', success),
      );

  it('waits for the row of a request that runs, without running it again', async () => {
    await store('RUNNING', success);
    const waiting = Array.from({ length: 100 }, () => runOnce(services, repeated(), run));
    const statements = vi.spyOn(database, 'getExecutor');
    await settle();
    for (const answer of await Promise.all(waiting))
      expect(answer).toEqual({ result: success, replayed: true });
    expect(run).not.toHaveBeenCalled();
    // However many wait, they ask together.
    expect(statements.mock.calls.length).toBeLessThan(waiting.length);
    statements.mockRestore();
  });

  it('joins one that runs for longer than a caller waits, as the request that began it', async () => {
    await store('RUNNING', success);
    await database
      .updateTable('operations')
      .set({ created_at: new Date(Date.now() - CALLER_WAIT_MS - 100) })
      .where('id', '=', identity.operationId)
      .execute();
    expect(await runOnce(services, repeated(), run)).toEqual({ result: success, replayed: true });
    expect(run).toHaveBeenCalledOnce();
    expect(run.mock.calls[0]?.[0].requestId).toBe(identity.requestId);
  });

  it('runs what was refused and forgotten while it waited', async () => {
    await store('RUNNING', success);
    const again = repeated();
    run.mockImplementation(async (as) => outcomeFor(as, success));
    const waiting = runOnce(services, again, run);
    await database.deleteFrom('operations').where('id', '=', identity.operationId).execute();
    expect(await waiting).toEqual({ result: success, replayed: false });
    expect(run.mock.calls[0]?.[0].requestId).toBe(again.requestId);
  });

  const ofOperation = () =>
    database.updateTable('operations').where('id', '=', identity.operationId);

  it.each([
    ['is gone', () => database.deleteFrom('operations').where('id', '=', identity.operationId)],
    ['is of a further request', () => ofOperation().set({ request_id: randomUUID() })],
  ])('looks again where the row that it waits for %s', async (_what, change) => {
    await store('RUNNING', success);
    const again = repeated();
    run.mockImplementation(async (as) => outcomeFor(as, success));
    const look = vi.fn(() => findOperation(database, KIND, identity.operationId));
    const waiting = runOnce(services, again, run, look);
    await look.mock.results[0]?.value;
    await change().execute();
    await until(() => expect(look).toHaveBeenCalledTimes(2));
    await look.mock.results[1]?.value;
    await ofOperation()
      .set({ status: 'SUCCEEDED', outcome: JSON.stringify(success) })
      .execute();
    expect((await waiting).result).toEqual(success);
  });

  it('refuses when another request under its key was quicker by a moment', async () => {
    run.mockImplementation(async () => outcomeFor(other(), success));
    expect(await runOnce(services, identity, run)).toEqual({
      result: refuse('key-reused'),
      replayed: false,
    });
  });

  it('does not ask the database without a key', async () => {
    const { digests, waits } = services;
    const withoutDatabase = { digests, waits } as Services;
    const result = await runOnce(withoutDatabase, { ...identity, hasKey: false }, run);
    expect(result).toEqual({ result: success, replayed: false });
  });

  it('answers that it still runs when the caller has waited long enough', async () => {
    run.mockRejectedValue(new StillProcessingError('still processing'));
    expect(await runOnce(services, identity, run)).toEqual({
      result: refuse('still-processing'),
      replayed: false,
    });
  });

  it.each([
    ['without a key, when it may have been started', false, false, true],
    ['without a key, when nothing was started', true, false, false],
    ['with a key, which makes repeating safe', false, true, false],
  ])('Temporal away, %s', async (_name, isCertain, hasKey, isOpen) => {
    run.mockRejectedValue(new WorkflowsUnavailableError(isCertain));
    const result = runOnce(services, { ...identity, hasKey }, run);
    if (!isOpen) await expect(result).rejects.toBeInstanceOf(WorkflowsUnavailableError);
    else expect(await result).toEqual({ result: refuse('still-processing'), replayed: false });
  });

  it('leaves every other error to whoever catches all', async () => {
    run.mockRejectedValue(new Error('Temporal is away'));
    await expect(runOnce(services, identity, run)).rejects.toThrow('Temporal is away');
  });
});
