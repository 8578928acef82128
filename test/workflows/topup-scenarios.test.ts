import { randomUUID } from 'node:crypto';
import { WorkflowFailedError } from '@temporalio/client';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CaseName } from '../../workflows/contracts.ts';
import { caseId } from '../../workflows/workflow-ids.ts';
import { untilBooksAreChecked } from '../db/ledger/checked-books.ts';
import { idOf, setTopupScene, type TopupScene } from '../end-to-end/topups/topup-scene.ts';
import { caseWorkflow, settleCase } from '../positions/cases.ts';
import { doneLate } from '../positions/placements.ts';
import { breakStatement } from '../support/database-faults.ts';
import { until } from '../support/until.ts';
import { detailsOf } from './details-of.ts';
import { ended } from './ended.ts';
import { TEST_PAYLOAD_KEYS } from './payload-keys.ts';

/**
 * Every branch of top-ups and of the reconciliation on the real server, recorded like those of
 * scenarios.test.ts. The window for retries is short, so that failed top-ups end.
 */
let scene: TopupScene;

beforeAll(async () => {
  scene = await setTopupScene({
    PAYLOAD_KEYS: TEST_PAYLOAD_KEYS,
    CALLER_WAIT_SECONDS: '8',
    TOPUP_RETRY_WINDOW_SECONDS: '5',
    PAYMENT_INQUIRY_INTERVAL_SECONDS: '0.5',
    PAYMENT_ALARM_SECONDS: '2',
  });
});
afterAll(() => scene?.stack.stop());

const endOf = async (id: number, history?: string) =>
  ended(scene.stack, await scene.workflowIdOf(id), history);

async function ran(
  type: 'reconcile' | 'checkBooks' | 'archiveLedger',
  history?: string,
): Promise<unknown> {
  const workflowId = `${type}-${randomUUID()}`;
  const taskQueue = scene.stack.config.temporal.temporalTaskQueue;
  await scene.stack.temporal.client.workflow.start(type, { workflowId, taskQueue });
  return ended(scene.stack, workflowId, history);
}
const reconciled = (history?: string) => ran('reconcile', history);
const checked = (history?: string) => ran('checkBooks', history);

const settled = { ended: 'settled' };

const caseIdOf = (name: CaseName): string =>
  caseId(name, scene.stack.config.temporal.temporalTaskQueue);

describe('top-up', () => {
  it('ends delivered', async () => {
    const id = idOf(await scene.topup(scene.number('000')));
    expect(await endOf(id, 'top-up-delivered')).toEqual({ ended: 'delivered', attempts: 1 });
    const { attempts } = await scene.show(id);
    const workflow = (await scene.workflowOf(id)).workflowId;
    for (const reference of [attempts[0].ourReference, attempts[0].referenceNumber])
      await until(async () => {
        const query = `Reference = "${reference}" and WorkflowId = "${workflow}"`;
        const found = await scene.stack.temporal.client.workflow.count(query);
        expect(found.count).toBe(1);
      });
  });

  it('ends delivered when a retry to another number succeeds', async () => {
    const id = await scene.failedTopup();
    expect((await scene.retry(id, scene.number('000'))).status).toBe(200);
    expect(await endOf(id, 'top-up-retried')).toEqual({ ended: 'delivered', attempts: 2 });
  });

  it('refuses a retry to another number while one is under way', async () => {
    const id = await scene.failedTopup();
    const answers = await scene.atTheSameMoment(
      id,
      [scene.number('000'), scene.number('000')].map((msisdn) => () => scene.retry(id, msisdn)),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(await endOf(id, 'top-up-retry-refused')).toEqual({ ended: 'delivered', attempts: 2 });
    expect(await scene.runningOperations()).toEqual([]);
  });

  it('begun anew for a retry that has been made does not wait for another', async () => {
    const id = await scene.failedTopup();
    expect((await scene.retry(id, scene.number('000'))).status).toBe(200);
    await (await scene.workflowOf(id)).result();
    await scene.startAgain(id);
    expect(await endOf(id, 'top-up-answered')).toMatchObject({ ended: 'delivered' });
  });

  it('is asked about until the provider knows', async () => {
    const id = await scene.openTopup();
    await (await scene.workflowOf(id)).signal('providerNudge');
    await scene.settle(id, 'completed');
    expect(await endOf(id, 'top-up-unknown')).toEqual({ ended: 'delivered', attempts: 1 });
  });

  it('drops a signal whose data is not of the service', async () => {
    const id = await scene.openTopup();
    const workflow = await scene.workflowOf(id);
    await scene.stack.temporal.client.workflowService.signalWorkflowExecution({
      namespace: scene.stack.temporal.namespace,
      workflowExecution: { workflowId: workflow.workflowId },
      signalName: 'providerNudge',
      input: {
        payloads: [{ metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from('1') }],
      },
    });
    await scene.settle(id, 'completed');
    expect(await endOf(id, 'top-up-foreign-signal')).toEqual({ ended: 'delivered', attempts: 1 });
  });
});

describe.concurrent('a top-up that waits', () => {
  it('ends failed when nobody retries, and begins anew for a retry after its window', async () => {
    const id = await scene.failedTopup();
    expect(await endOf(id)).toEqual({ ended: 'failed', attempts: 1 });
    const details = await detailsOf(await scene.workflowOf(id));
    expect(details).toMatch(/^\*\*Failed\*\*: top-up \d+, Airtime, /);
    expect(details).not.toContain('Send a Signal');
    expect((await scene.retry(id, scene.number('000'))).status).toBe(200);
    expect(await endOf(id, 'top-up-retried-later')).toEqual({ ended: 'delivered', attempts: 2 });
  });

  it('makes one more attempt when support staff send the signal', async () => {
    const id = await scene.failedTopup();
    await (await scene.workflowOf(id)).signal('retry');
    expect(await endOf(id, 'top-up-retry-signal')).toEqual({ ended: 'failed', attempts: 2 });
  });

  it('calls a person while the database does not book it, and goes on when it does', async () => {
    const id = await scene.openTopup();
    const mend = await breakStatement(scene.stack.database, {
      table: 'topup_attempts',
      on: 'update',
      when: `new.topup_id = ${id} and new.status = 'POSTED'`,
    });
    await scene.settle(id, 'completed');
    const workflow = await scene.workflowOf(id);
    await workflow.signal('providerNudge');
    await until(async () => expect(await detailsOf(workflow)).toContain('**A person is needed**'));
    await mend();
    await workflow.signal('providerNudge');
    expect(await endOf(id, 'top-up-unbooked')).toEqual({ ended: 'delivered', attempts: 1 });
  });
});

describe('reconcile', () => {
  it('ends red when the books do not agree', async () => {
    const id = idOf(await scene.topup(scene.number('000')));
    const setAmount = (amount: string) =>
      scene.stack.database.updateTable('topups').set({ amount }).where('id', '=', id).execute();
    await setAmount('49');
    expect(await reconciled('reconcile-red')).toMatchObject({
      cause: { message: `I5 the newest attempt holds the price of its top-up: top-up ${id}` },
    });
    await setAmount('50');
    const books = scene.stack.temporal.client.workflow.getHandle(caseIdOf({ kind: 'books' }));
    await books.signal('lookAgain');
    expect(await ended(scene.stack, books.workflowId, 'follow-case')).toEqual(settled);
  });

  it('finds an old row that somebody has edited when it checks all books, and then until it is mended', async () => {
    const { database } = scene.stack;
    expect(await checked('check-books')).toEqual({ parts: 10 });
    expect(await ran('archiveLedger', 'archive-ledger')).toEqual({ transfers: 0 });
    const id = idOf(await scene.topup(scene.number('000')));
    const operationId = await scene.operationOf(id);
    const setStep = (from: string, to: string) =>
      database.transaction().execute(async (transaction) => {
        await sql`set local session_replication_role = replica`.execute(transaction);
        await sql`update ledger_transfers set step = ${to}
          where operation_id = ${operationId} and step = ${from}`.execute(transaction);
      });
    await untilBooksAreChecked(database);
    await setStep('hold', 'edited');
    expect(await reconciled()).toMatchObject({ resumedTopups: 0 });
    expect(await checked('check-books-red')).toBeInstanceOf(WorkflowFailedError);
    expect(await reconciled()).toBeInstanceOf(WorkflowFailedError);
    await setStep('edited', 'hold');
    const books = scene.stack.temporal.client.workflow.getHandle(caseIdOf({ kind: 'books' }));
    await books.signal('lookAgain');
    expect(await books.result()).toEqual(settled);
    expect(await reconciled()).toMatchObject({ resumedTopups: 0 });
  });

  it('opens a case for what was delivered late, which ends when it is settled', async () => {
    const id = await scene.failedTopup();
    const operationId = await scene.operationOf(id);
    const { ourReference: reference } = (await scene.show(id)).attempts[0];
    await doneLate(scene.stack.database, operationId);
    await (await scene.workflowOf(id)).signal('providerNudge');
    const delivered = { ended: 'delivered', attempts: 1 };
    expect(await endOf(id, 'top-up-delivered-late')).toEqual(delivered);
    expect(await reconciled()).toBeInstanceOf(WorkflowFailedError);
    const followed = await caseWorkflow(scene.stack, reference);
    await followed.signal('lookAgain');
    await settleCase(scene.stack, reference, 'platform');
    await followed.signal('lookAgain');
    expect(await ended(scene.stack, followed.workflowId)).toEqual(settled);
  });
});
