import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bindSignedRequest } from '../../../src/db/access/access.ts';
import type { Database, DatabaseTransaction } from '../../../src/db/connection.ts';
import {
  beginOperation,
  findOperations,
  type OperationIdentity,
  recordAbandonedRequest,
  recordRefusal,
  settleOperation,
  takeAbandonedAnswer,
} from '../../../src/db/operations.ts';
import { endClaim, insertClaim } from '../../../src/db/vouchers/claims.ts';
import { refuse } from '../../../src/domain/refusals.ts';
import { addGiftSeller, addShop, addVoucher } from '../gift-rows.ts';
import { type OpenDatabase, openDatabase } from '../open-database.ts';
import { prune as pruneRows } from '../prune.ts';

const KIND = 'redeem-gift';
const refusal = refuse('verification-code-incorrect');
const success = { ok: true, references: ['first'] };

let open: OpenDatabase;
let database: Database;
/** The first request of each test's operation, and another one under the same key. */
let first: OperationIdentity;
let other: OperationIdentity;

beforeAll(async () => {
  open = await openDatabase();
  database = open.database;
});
afterAll(() => open?.close());
beforeEach(() => {
  first = {
    operationId: randomUUID(),
    requestId: randomUUID(),
    requestDigest: 'digest of the first request',
    company: { kind: 'merchant', id: 7 },
  };
  other = { ...first, requestId: randomUUID(), requestDigest: 'digest of another request' };
});

const inTransaction = <Result>(
  work: (transaction: DatabaseTransaction) => Promise<Result>,
): Promise<Result> => database.transaction().execute(work);

/** The operation's row. */
const stored = async () =>
  (await findOperations(database, [first.operationId])).get(first.operationId);

const begin = (identity: OperationIdentity) =>
  inTransaction((transaction) => beginOperation(transaction, identity, KIND));

const settle = (
  status: 'SUCCEEDED' | 'REFUSED' | 'FAILED',
  result: typeof success | typeof refusal,
) =>
  inTransaction((transaction) =>
    settleOperation(transaction, first.operationId, status, result as typeof refusal),
  );

/** The same request, sent once more. */
const repeated = (): OperationIdentity => ({ ...first, requestId: randomUUID() });

const outcomeOf = ({ requestId, requestDigest }: OperationIdentity, result: unknown) => ({
  requestId,
  requestDigest,
  result,
});

describe('beginOperation', () => {
  it('begins what nobody has asked before', async () => {
    expect(await begin(first)).toEqual({ kind: 'begun' });
    expect(await stored()).toEqual({
      id: first.operationId,
      status: 'RUNNING',
      request_id: first.requestId,
      request_digest: first.requestDigest,
      outcome: null,
    });
  });

  it('resumes what an earlier try of the same request has begun', async () => {
    await begin(first);
    expect(await begin(repeated())).toEqual({ kind: 'resumed', isAccepted: false });
  });

  it('refuses another request while the first one runs', async () => {
    await begin(first);
    const keyReused = outcomeOf(first, refuse('key-reused'));
    expect(await begin(other)).toEqual({ kind: 'answered', outcome: keyReused });
  });

  it.each([
    ['a success', 'SUCCEEDED', success],
    ['a failure', 'FAILED', refuse('payment-refused')],
    ['a refusal', 'REFUSED', refusal],
  ] as const)('answers the same request with %s again', async (_name, status, result) => {
    await begin(first);
    await settle(status, result);
    const outcome = outcomeOf(first, result);
    expect(await begin(repeated())).toEqual({ kind: 'answered', outcome });
  });

  it.each([
    ['a success', 'SUCCEEDED', success],
    ['a failure', 'FAILED', refuse('payment-refused')],
  ] as const)('answers another request with whose %s it is', async (_name, status, result) => {
    await begin(first);
    await settle(status, result);
    expect(await begin(other)).toEqual({ kind: 'answered', outcome: outcomeOf(first, result) });
  });

  it('begins anew for a corrected request after a refusal, and forgets the refused one', async () => {
    await begin(first);
    await settle('REFUSED', refusal);
    expect(await begin(other)).toEqual({ kind: 'begun' });
    expect(await stored()).toMatchObject({
      status: 'RUNNING',
      request_digest: other.requestDigest,
      outcome: null,
    });
    const keyReused = outcomeOf(other, refuse('key-reused'));
    expect(await begin(first)).toEqual({ kind: 'answered', outcome: keyReused });
  });

  it('lets exactly one of several duplicates begin; the others wait for its answer', async () => {
    const winners: string[] = [];
    const run = (identity: OperationIdentity) =>
      inTransaction(async (transaction) => {
        const begun = await beginOperation(transaction, identity, KIND);
        if (begun.kind !== 'begun') return begun;
        winners.push(identity.requestId);
        await settleOperation(transaction, identity.operationId, 'REFUSED', refusal);
        return begun;
      });
    const results = await Promise.all(Array.from({ length: 8 }, () => run(repeated())));
    expect(winners).toHaveLength(1);
    const [requestId = ''] = winners;
    const outcome = outcomeOf({ ...first, requestId }, refusal);
    expect(results.filter(({ kind }) => kind !== 'begun')).toEqual(
      Array.from({ length: 7 }, () => ({ kind: 'answered', outcome })),
    );
  });

  it('lets exactly one of several corrected requests take the place of a refused one', async () => {
    await recordRefusal(database, first, KIND, refusal);
    const corrected = Array.from({ length: 6 }, (_, index) => ({
      ...other,
      requestDigest: `digest of correction ${index}`,
    }));
    const results = await Promise.all(corrected.map(begin));
    expect(results.filter(({ kind }) => kind === 'begun')).toHaveLength(1);
  });

  it('begins again when the transaction that began was rolled back', async () => {
    const undone = inTransaction(async (transaction) => {
      await beginOperation(transaction, first, KIND);
      throw new Error('The worker stopped');
    });
    await expect(undone).rejects.toThrow();
    expect(await begin(repeated())).toEqual({ kind: 'begun' });
  });
});

describe('settleOperation', () => {
  it('keeps the first answer', async () => {
    await begin(first);
    expect(await settle('SUCCEEDED', success)).toEqual(outcomeOf(first, success));
    expect(await settle('REFUSED', refusal)).toEqual(outcomeOf(first, success));
  });
});

describe('recordRefusal', () => {
  it('remembers a refusal of a request that nobody had asked before', async () => {
    const outcome = outcomeOf(first, refusal);
    expect(await recordRefusal(database, first, KIND, refusal)).toEqual(outcome);
    expect(await recordRefusal(database, repeated(), KIND, refuse('internal-error'))).toEqual(
      outcome,
    );
  });

  it('forgets a refusal that held nothing, sent nothing and counted no guess', async () => {
    const passing = refuse('money-insufficient');
    expect(await recordRefusal(database, first, KIND, passing)).toEqual(outcomeOf(first, passing));
    expect(await stored()).toBeUndefined();
    expect(await begin(repeated())).toEqual({ kind: 'begun' });
  });

  it('does not replace the answer of another request that was quicker', async () => {
    await begin(first);
    await settle('SUCCEEDED', success);
    expect(await recordRefusal(database, other, KIND, refusal)).toEqual(outcomeOf(first, success));
  });
});

describe('pruneBatch', () => {
  const RETENTION_DAYS = 30;

  const makeOlder = (days: number) =>
    database
      .updateTable('operations')
      .set({ created_at: sql<Date>`now() - make_interval(days => ${days}::int)` })
      .where('id', '=', first.operationId)
      .execute();

  const prune = () => pruneRows(database, 'operations', { operationDays: RETENTION_DAYS });

  it.each(['SUCCEEDED', 'REFUSED', 'FAILED'] as const)(
    'deletes what has long %s',
    async (status) => {
      await begin(first);
      await settle(status, refusal);
      await makeOlder(RETENTION_DAYS + 1);
      expect(await prune()).toBe(1);
      expect(await stored()).toBeUndefined();
      expect(await begin(first)).toEqual({ kind: 'begun' });
    },
  );

  it('keeps what is younger than the retention', async () => {
    await recordRefusal(database, first, KIND, refusal);
    await makeOlder(RETENTION_DAYS - 1);
    expect(await prune()).toBe(0);
    expect(await stored()).toBeDefined();
  });

  it('deletes a claim that its workflow left behind', async () => {
    await database
      .transaction()
      .execute((transaction) => beginOperation(transaction, first, 'initiate-claim'));
    await makeOlder(RETENTION_DAYS + 1);
    expect(await prune()).toBe(1);
  });

  it('keeps the key of a claim that is still open, as under a payment without an outcome', async () => {
    const voucherId = await addVoucher(database, await addGiftSeller(database));
    const claimId = randomUUID();
    await inTransaction(async (transaction) => {
      await beginOperation(transaction, first, 'initiate-claim');
      await insertClaim(transaction, {
        id: claimId,
        operation_id: first.operationId,
        workflow_id: 'claim',
        voucher_id: voucherId,
        company_kind: first.company.kind,
        company_id: first.company.id,
        lifetimeSeconds: 60,
        amount: null,
        service_fee_percent: null,
        code_digest: 'digest',
        code_ciphertext: 'sealed',
        code_digits: 6,
      });
    });
    await settle('SUCCEEDED', success);
    await makeOlder(RETENTION_DAYS + 1);
    expect(await prune()).toBe(0);
    await inTransaction((transaction) => endClaim(transaction, claimId, 'REDEEMED'));
    expect(await prune()).toBe(1);
  });

  it('keeps what still runs, however old it is', async () => {
    await begin(first);
    await makeOlder(RETENTION_DAYS + 100);
    expect(await prune()).toBe(0);
    expect(await stored()).toBeDefined();
  });

  it('deletes what old signed requests were bound to, and no others', async () => {
    const merchantId = await addShop(database);
    const signed = (bodyDigest: string, target = '/redeem-gift') =>
      bindSignedRequest(database, { merchantId, target, bodyDigest, messageDigest: undefined });
    await signed('old');
    await signed('young');
    await database
      .updateTable('signed_requests')
      .set({ created_at: sql<Date>`now() - interval '31 days'` })
      .where('subject', '=', 'body:old')
      .execute();
    expect(await pruneRows(database, 'what signed requests were bound to')).toBe(1);
    expect(await signed('old', '/initiate-claim')).toBe(true);
    expect(await signed('young', '/initiate-claim')).toBe(false);
  });
});

it('a step that a workflow repeats does not take the answer that its caller is told to ask for', async () => {
  const take = (identity: OperationIdentity) =>
    inTransaction((transaction) => takeAbandonedAnswer<typeof success>(transaction, identity));
  await begin(first);
  await recordAbandonedRequest(database, { ...first, kind: KIND }, 8);
  expect(await take(first)).toBeUndefined();
  // The caller comes back later than others would get the same answer.
  await sql`update left_requests set taken_at = taken_at - interval '2 minutes'`.execute(database);
  await settle('SUCCEEDED', success);
  const repetition = { ...first, operationId: randomUUID(), requestId: randomUUID() };
  expect(await take(repetition)).toMatchObject({ result: success });
});
