import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { compareEventTable } from '../../../chaos/oracle/event-facts.ts';
import { WorkflowsUnavailableError } from '../../../src/operations/call-errors.ts';
import { calls } from '../../../src/operations/workflow-calls.ts';
import type { Answer } from '../../support/clients.ts';
import { until } from '../../support/until.ts';
import { expectRefusal } from '../bad-input/refusals.ts';
import { idOf, newKey, setTopupScene, type TopupScene } from '../topups/topup-scene.ts';

/**
 * The request was recorded, and the call of its workflow was lost. A top-up whose number a caller
 * received stays and comes to its end; the service withdraws the others.
 */
const START_SECONDS = 60;

let scene: TopupScene;
beforeAll(async () => {
  scene = await setTopupScene({
    CALLER_WAIT_SECONDS: '2',
    TOPUP_START_SECONDS: String(START_SECONDS),
  });
});
afterAll(() => scene?.stack.stop());
beforeEach(() => vi.restoreAllMocks());

type Call = 'topup' | 'retry';

/** Loses the next call of a workflow; with a refused connection it provably never left. */
const lose = (call: Call, how: 'lost' | 'never sent' = 'lost') =>
  vi
    .spyOn(calls[call], 'send')
    .mockRejectedValueOnce(new WorkflowsUnavailableError(how === 'never sent'));

function expectAccepted(answer: Answer): number {
  expect([answer.status, answer.body.data.status]).toEqual([200, undefined]);
  return idOf(answer);
}

const topups = () =>
  scene.stack.database
    .selectFrom('topups')
    .select(({ fn }) => fn.countAll<number>().as('rows'))
    .executeTakeFirstOrThrow();

/** Makes what is recorded now as old as what never begins. */
async function makeStale(): Promise<void> {
  const { database } = scene.stack;
  const created_at = sql<Date>`created_at - make_interval(secs => ${START_SECONDS + 1})`;
  await database
    .updateTable('topups')
    .set({ created_at })
    .where('status', '=', 'PENDING')
    .execute();
  await database
    .updateTable('topup_retries')
    .set({ created_at })
    .where('is_open', '=', true)
    .execute();
}

/**
 * Lets the callers of operations that run have waited for a second: a repetition waits as long as they do,
 * and only then calls the workflow, which must not depend on how fast this machine is.
 */
const haveWaited = () =>
  scene.stack.database
    .updateTable('operations')
    .set({ created_at: sql<Date>`created_at - interval '1 second'` })
    .where('status', '=', 'RUNNING')
    .execute();

const setProducts = (status: 'ACTIVE' | 'INACTIVE') =>
  scene.stack.database.updateTable('products').set({ status }).execute();

/** Deletes the operation of a top-up, as the retention does. */
const forgetCreation = async (id: number) =>
  scene.stack.database
    .deleteFrom('operations')
    .where('id', '=', await scene.operationOf(id))
    .execute();

/** Of the request that made a top-up which never began, and which a retry delivered. */
function expectDeliveredSince(id: number, answer: Answer): void {
  const data = { transactionId: id, status: 'FAILED', referenceNumber: null, message: null };
  expectRefusal(answer, 'partner', 424, { reason: 'topup-delivered-since', data });
  expect(answer.headers.get('Idempotent-Replayed')).toBe('true');
}

describe('a top-up', () => {
  it('is carried out by its repetition, under the number that was told', async () => {
    const [msisdn, key] = [scene.number('050'), newKey()];
    lose('topup');
    const id = expectAccepted(await scene.topup(msisdn, key));
    await haveWaited();
    expect(idOf(await scene.topup(msisdn, key))).toBe(id);
    await scene.untilStatus(id, 'SUCCESS');
    const again = await scene.topup(msisdn, key);
    expect(again.body.data).toMatchObject({ transactionId: id, status: 'SUCCESS' });
    expect(await scene.delivered(msisdn)).toHaveLength(1);
  });

  it('that nobody repeats fails; another request under its key is refused', async () => {
    const [msisdn, other, key] = [scene.number('050'), scene.number('050'), newKey()];
    lose('topup');
    const id = expectAccepted(await scene.topup(msisdn, key));
    await makeStale();
    await scene.runExpiry();
    expect(await scene.show(id)).toMatchObject({ status: 'FAILED', attempts: [] });
    expectRefusal(await scene.topup(other, key), 'partner', 422, { reason: 'key-reused' });
    const again = await scene.topup(msisdn, key);
    expect([again.status, again.body.data.transactionId]).toEqual([424, id]);
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
    expect(await scene.runningOperations()).toEqual([]);
    await scene.retry(id, other);
    await scene.untilStatus(id, 'SUCCESS');
    await forgetCreation(id);
    expectDeliveredSince(id, await scene.topup(msisdn, key));
    expectRefusal(await scene.topup(other, key), 'partner', 422, { reason: 'key-reused' });
    expect(await scene.delivered(msisdn)).toEqual([]);
  });

  it('that was told as accepted and is refused in the end keeps its number', async () => {
    const [msisdn, key] = [scene.number('050'), newKey()];
    lose('topup');
    const id = expectAccepted(await scene.topup(msisdn, key));
    await haveWaited();
    await setProducts('INACTIVE');
    expect(idOf(await scene.topup(msisdn, key))).toBe(id);
    await scene.untilStatus(id, 'FAILED');
    await setProducts('ACTIVE');
    const refused = await scene.topup(msisdn, key);
    expect([refused.status, refused.body.data.transactionId]).toEqual([424, id]);
    expect(await scene.show(id)).toMatchObject({ status: 'FAILED', attempts: [] });
    expect((await scene.topup(msisdn, key)).body).toEqual(refused.body);
    const other = await scene.topup(scene.number('050'), key);
    expectRefusal(other, 'partner', 422, { reason: 'key-reused' });
    await scene.retry(id, msisdn);
    await scene.untilStatus(id, 'SUCCESS');
    await forgetCreation(id);
    expectDeliveredSince(id, await scene.topup(msisdn, key));
    expect(await scene.delivered(msisdn)).toHaveLength(1);
  });

  it('whose call fails for another reason is accepted, and the log has the reason', async () => {
    const logged = vi.spyOn(scene.stack.api.services.logger, 'error');
    vi.spyOn(calls.topup, 'send').mockRejectedValueOnce(new TypeError('nobody foresaw it'));
    const [msisdn, key] = [scene.number('050'), newKey()];
    const id = expectAccepted(await scene.topup(msisdn, key));
    expect(logged).toHaveBeenCalledWith(
      expect.objectContaining({ operationId: await scene.operationOf(id) }),
      'The call of a top-up failed',
    );
    await haveWaited();
    await scene.topup(msisdn, key);
    await scene.untilStatus(id, 'SUCCESS');
  });

  it('that was refused before anybody was told its number leaves none', async () => {
    const [msisdn, key, before] = [scene.number('050'), newKey(), await topups()];
    await setProducts('INACTIVE');
    expect((await scene.topup(msisdn, key)).status).toBe(404);
    await setProducts('ACTIVE');
    expect(await topups()).toEqual(before);
    await scene.untilStatus(idOf(await scene.topup(scene.number('050'), key)), 'SUCCESS');
  });

  it('whose start provably never left is refused and leaves nothing', async () => {
    const [msisdn, key, before] = [scene.number('050'), newKey(), await topups()];
    lose('topup', 'never sent');
    expect((await scene.topup(msisdn, key)).status).toBe(503);
    expect(await topups()).toEqual(before);
    expect(await scene.runningOperations()).toEqual([]);
    await scene.untilStatus(idOf(await scene.topup(msisdn, key)), 'SUCCESS');
    expect(await scene.delivered(msisdn)).toHaveLength(1);
  });

  it('whose number was told is not discarded by a repetition that never left', async () => {
    const [msisdn, key] = [scene.number('050'), newKey()];
    lose('topup');
    const id = expectAccepted(await scene.topup(msisdn, key));
    await haveWaited();
    lose('topup', 'never sent');
    expect(expectAccepted(await scene.topup(msisdn, key))).toBe(id);
    expect((await scene.show(id)).status).toBe('PENDING');
    await scene.topup(msisdn, key);
    await scene.untilStatus(id, 'SUCCESS');
  });
});

describe('a retry', () => {
  it('is made by its repetition', async () => {
    const id = await scene.failedTopup();
    const [msisdn, key] = [scene.number('050'), newKey()];
    lose('retry');
    expect(expectAccepted(await scene.retry(id, msisdn, key))).toBe(id);
    await haveWaited();
    expect(idOf(await scene.retry(id, msisdn, key))).toBe(id);
    await scene.untilStatus(id, 'SUCCESS');
    expect((await scene.retry(id, msisdn, key)).body.data.status).toBe('SUCCESS');
    expect((await scene.show(id)).attempts).toHaveLength(2);
    expect(await scene.delivered(msisdn)).toHaveLength(1);
  });

  it('that nobody repeats is answered as never started, and can be made anew', async () => {
    const id = await scene.failedTopup();
    const [msisdn, key] = [scene.number('050'), newKey()];
    lose('retry');
    expectAccepted(await scene.retry(id, msisdn, key));
    expect(await scene.runningOperations()).toHaveLength(1);
    await makeStale();
    await scene.runExpiry();
    expect(await scene.runningOperations()).toEqual([]);
    const other = await scene.retry(id, scene.number('050'), key);
    expectRefusal(other, 'partner', 422, { reason: 'key-reused' });
    const again = await scene.retry(id, msisdn, key);
    expectRefusal(again, 'partner', 424, {
      reason: 'topup-failed',
      data: {
        transactionId: id,
        status: 'FAILED',
        referenceNumber: null,
        message: expect.stringContaining('never started'),
      },
    });
    expect((await scene.show(id)).attempts).toHaveLength(1);
    await scene.retry(id, msisdn);
    await scene.untilStatus(id, 'SUCCESS');
  });

  describe.each([
    [
      'by the expiry run',
      async () => {
        await makeStale();
        await scene.runExpiry();
        expect(await scene.runningOperations()).toEqual([]);
      },
    ],
    ['by its repetition', haveWaited],
  ])('without a number that another retry forestalled, answered %s,', (_by, come) => {
    it.each([
      ['to another number is not answered by it', '050', 409, 'topup-not-failed'],
      ['to the same number gets its answer', undefined, 424, 'topup-failed'],
    ])('%s', async (_what, suffix, status, reason) => {
      const id = await scene.failedTopup();
      const key = newKey();
      lose('retry');
      expectAccepted(await scene.retry(id, undefined, key));
      await scene.retry(id, suffix && scene.number(suffix));
      await until(async () => expect(await scene.runningOperations()).toHaveLength(1));
      await come();
      const again = await scene.retry(id, undefined, key);
      expect([again.status, again.headers.get('x-error-reason')]).toEqual([status, reason]);
      expect(await scene.runningOperations()).toEqual([]);
      expect((await scene.show(id)).attempts).toHaveLength(2);
    });
  });

  it('that another retry forestalled and did not deliver is refused for that reason', async () => {
    const id = await scene.failedTopup();
    const key = newKey();
    lose('retry');
    expectAccepted(await scene.retry(id, undefined, key));
    await scene.retry(id, scene.number('002'));
    await until(async () => expect(await scene.runningOperations()).toHaveLength(1));
    await haveWaited();
    expectRefusal(await scene.retry(id, undefined, key), 'partner', 409, {
      reason: 'topup-not-failed',
      says: /: another request has retried it first$/,
    });
    expect((await scene.show(id)).attempts).toHaveLength(2);
  });

  it('that provably never left is refused and leaves nothing', async () => {
    const id = await scene.failedTopup();
    const [msisdn, key] = [scene.number('050'), newKey()];
    lose('retry', 'never sent');
    expect((await scene.retry(id, msisdn, key)).status).toBe(503);
    expect(await scene.runningOperations()).toEqual([]);
    await scene.retry(id, msisdn, key);
    await scene.untilStatus(id, 'SUCCESS');
  });

  it('that waits for the attempt of another one is not failed before that one ends', async () => {
    const id = await scene.failedTopup();
    const msisdn = scene.number('014');
    const keys = [newKey(), newKey()];
    const answers = await scene.atTheSameMoment(
      id,
      keys.map((key) => () => scene.retry(id, msisdn, key)),
    );
    answers.forEach(expectAccepted);
    await makeStale();
    await scene.runExpiry();
    expect(await scene.runningOperations()).toHaveLength(2);
    await scene.settle(id, 'completed');
    await scene.untilStatus(id, 'SUCCESS');
    for (const key of keys) {
      const { body } = await scene.retry(id, msisdn, key);
      expect(body.data).toMatchObject({ transactionId: id, status: 'SUCCESS' });
    }
    expect(await scene.runningOperations()).toEqual([]);
  });
});

describe('repetitions of what runs', () => {
  const updatesOf = async (id: number) =>
    (await scene.eventsOf(id)).filter(
      (event) => event.workflowExecutionUpdateAcceptedEventAttributes,
    ).length;

  it('wait for its row and add no update to its workflow, however long it runs', async () => {
    const [msisdn, key] = [scene.number('014'), newKey()];
    const id = expectAccepted(await scene.topup(msisdn, key));
    for (let round = 0; round < 2; round += 1) {
      const answers = await Promise.all(Array.from({ length: 30 }, () => scene.topup(msisdn, key)));
      expect(new Set(answers.map(expectAccepted))).toEqual(new Set([id]));
    }
    expect(await updatesOf(id)).toBe(1);
    await scene.settle(id, 'completed');
    await scene.untilStatus(id, 'SUCCESS');
    expect((await scene.topup(msisdn, key)).body.data.status).toBe('SUCCESS');
    expect(await scene.delivered(msisdn)).toHaveLength(1);
  });
});

it('the log of events tells each end once, also that of a top-up that began by a retry', async () => {
  expect(await compareEventTable(scene.stack.database)).toEqual([]);
});
