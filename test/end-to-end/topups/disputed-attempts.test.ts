import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lockOrder } from '../../../src/db/positions/orders.ts';
import { commandsOn } from '../../admin/scene.ts';
import { settleCase } from '../../positions/cases.ts';
import { observe } from '../../positions/placements.ts';
import { call } from '../../support/clients.ts';
import { untilBlockedBy } from '../../support/database-locks.ts';
import { until } from '../../support/until.ts';
import { detailsOf } from '../../workflows/details-of.ts';
import { reconciled } from '../faults/reconciled.ts';
import { newKey, setTopupScene, type TopupScene } from './topup-scene.ts';

/** A failed attempt of which its provider has something else than was ordered: it may have been delivered. */
let topups: TopupScene;
let operator: ReturnType<typeof commandsOn>;

beforeAll(async () => {
  topups = await setTopupScene();
  operator = commandsOn({ DATABASE_URL: topups.stack.urlFor('operator') });
});
afterAll(() => topups?.stack.stop());

/** The provider delivers in another currency after it has refused, and calls back. */
async function disputed() {
  const { sandbox, url } = topups.stack;
  const id = await topups.failedTopup();
  const { ourReference: reference } = (await topups.show(id)).attempts.at(-1);
  const taken = sandbox.books.findTopup({ reference });
  if (!taken) throw new Error('The provider did not take it');
  Object.assign(taken, { currency: 'USD' });
  await topups.settle(id, 'completed');
  await call(`${url}/callbacks/airtime`, { body: { external_id: reference } });
  expect(await reconciled(topups.stack)).toContain(reference);
  return { id, reference };
}

const attemptsOf = async (id: number): Promise<number> => (await topups.show(id)).attempts.length;

describe('a retry of it is refused until a person has cleared what the provider says', () => {
  it('by the API', async () => {
    const { id, reference } = await disputed();
    const wallet = await topups.wallet();
    const number = topups.number('000');
    const key = newKey();
    const refused = await topups.retry(id, number, key);
    expect(refused.status).toBe(409);
    expect(refused.body.message).toContain('ask support');
    expect(await topups.delivered(number)).toEqual([]);
    expect(await topups.wallet()).toBe(wallet);
    expect(await attemptsOf(id)).toBe(1);

    await settleCase(topups.stack, reference);
    // The refusal is not kept: a repetition runs again, now that its cause is gone.
    const retried = await topups.retry(id, number, key);
    expect(retried.body.data.status).toBe('SUCCESS');
    expect(await topups.delivered(number)).toHaveLength(1);
    expect(await topups.wallet()).toBe(wallet - 50);
  });

  it('by the API, where the provider says it while the retry waits for the top-up', async () => {
    const { database } = topups.stack;
    const id = await topups.failedTopup();
    const number = topups.number('000');
    const operationId = await topups.operationOf(id);
    const { retried } = await database.transaction().execute(async (transaction) => {
      await lockOrder(transaction, operationId);
      const waiting = topups.retry(id, number);
      await untilBlockedBy(transaction, database, 1);
      await observe(transaction, operationId, { said: 'other', message: 'another currency' });
      return { retried: waiting };
    });
    expect((await retried).body.message).toContain('ask support');
    expect(await topups.delivered(number)).toEqual([]);
    expect(await attemptsOf(id)).toBe(1);
  });

  it('by the command', async () => {
    const { id } = await disputed();
    const { err } = await operator.admin(`top-up retry ${id} --why again`);
    expect(err).toMatch(/^Case \d+ of it is open: an operator settles that first\.\n$/);
    expect(await attemptsOf(id)).toBe(1);
  });

  it('by the signal of the Temporal UI, and its workflow says why', async () => {
    const { id } = await disputed();
    const workflow = await topups.workflowOf(id);
    await workflow.signal('retry');
    await until(async () => expect(await detailsOf(workflow)).toContain('ask support'));
    expect((await workflow.describe()).status.name).toBe('RUNNING');
    expect(await attemptsOf(id)).toBe(1);
  });
});
