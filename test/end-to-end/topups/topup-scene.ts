import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Environment } from '../../../src/config/config.ts';
import { topupStart } from '../../../src/runtime/temporal/workflow-starts.ts';
import { workflowTiming } from '../../../src/runtime/temporal/workflow-timing.ts';
import { topupId } from '../../../workflows/workflow-ids.ts';
import { type Answer, call, partnerClient } from '../../support/clients.ts';
import { deposit, makePartner } from '../../support/companies.ts';
import { untilBlocked } from '../../support/database-locks.ts';
import { startStack } from '../../support/stack.ts';
import { makeTopupProducts } from '../../support/topups.ts';
import { until } from '../../support/until.ts';
import { repeated } from '../gift/gift-scene.ts';
import { isNumber } from '../privacy/stored-numbers.ts';

export type TopupScene = Awaited<ReturnType<typeof setTopupScene>>;

export const AIRTIME = '/topup-transactions/airtime-topup';
export const PACKAGE = '/topup-transactions/airtime-package-topup';
export const RETRY = '/topup-transactions/retry-topup';

export const sale = { exchangeRate: 57.2, currency: 'USD', originatingCountry: 'US' };

export const newKey = () => ({ 'Idempotency-Key': randomUUID() });

export const idOf = (answer: Answer): number => answer.body.data.transactionId;

/** A stack with a partner who is logged in and has airtime to sell, and the steps of a top-up. */
export async function setTopupScene(
  settings: Environment = {},
  options: Parameters<typeof startStack>[1] = {},
) {
  const stack = await startStack(settings, options);
  const partner = await makePartner(stack);
  const products = await makeTopupProducts(stack, partner);
  await deposit(stack, partner.id, '100000', 'airtime');
  const asPartner = await partnerClient(stack, partner);
  let numbers = 0;

  /** A number of its own; its last three digits decide what the sandbox does. */
  function number(suffix: string): string {
    numbers += 1;
    return `+2519${String(numbers).padStart(5, '0')}${suffix}`;
  }

  const topup = (msisdn: string, headers: Record<string, string> = {}) =>
    asPartner.post(AIRTIME, { amount: 50, msisdn, ...sale }, headers);

  /** Sends a top-up, and repeats it under its key while its outcome is open; its last answer. */
  const endedTopup = (msisdn: string, headers = newKey()) =>
    repeated(
      () => topup(msisdn, headers),
      ({ status, body }) => status === 200 && body.data.status !== 'SUCCESS',
    );

  /** Without a number it goes to that of the attempt before. */
  const retry = (
    transactionId: number,
    msisdn?: string | undefined,
    headers: Record<string, string> = {},
  ) => asPartner.post(RETRY, { transactionId, msisdn }, headers);

  /** A top-up that the provider refuses, once its money is back; its caller may have gone before. */
  async function failedTopup(msisdn = number('002')): Promise<number> {
    const id = idOf(await topup(msisdn));
    await untilStatus(id, 'FAILED');
    return id;
  }

  /**
   * A top-up that the provider leaves open (014), as soon as its money is on hold and it is UNKNOWN.
   * The API answers its caller some seconds later, and until then starts its workflow again where a
   * test has ended it: such a test asks for `isAnswered`.
   */
  async function openTopup({ isAnswered = false } = {}): Promise<number> {
    const msisdn = number('014');
    const answer = topup(msisdn);
    // It ends with the API at the latest.
    answer.catch(() => undefined);
    if (isAnswered) await answer;
    return idOfUnknown(msisdn);
  }

  /** The top-up to a number, once its outcome is unknown. */
  async function idOfUnknown(msisdn: string): Promise<number> {
    const { id } = await until(() =>
      stack.database
        .selectFrom('topups')
        .select('id')
        .where(isNumber(stack, 'msisdn', msisdn))
        .where('status', '=', 'UNKNOWN')
        .executeTakeFirstOrThrow(),
    );
    return id;
  }

  const show = async (id: number) => (await asPartner.get(`/topup-transactions/${id}`)).body.data;

  const untilStatus = (id: number, status: string) =>
    until(async () => expect((await show(id)).status).toBe(status));

  const wallet = async (): Promise<number> =>
    (await asPartner.get('/info/get-current-balance')).body.data.walletBalance;

  const delivered = async (msisdn: string): Promise<{ status: string; amount: string }[]> =>
    (await call(`${stack.sandbox.url}/books?to=${encodeURIComponent(msisdn)}`)).body.topups;

  /** Decides the newest attempt of a top-up at the provider. */
  async function settle(id: number, status: 'completed' | 'failed'): Promise<void> {
    const { ourReference } = (await show(id)).attempts.at(-1);
    const url = `${stack.sandbox.url}/books/topups/${ourReference}`;
    expect((await call(url, { body: { status } })).status).toBe(200);
  }

  const operationOf = (id: number): Promise<string> =>
    stack.database
      .selectFrom('topups')
      .select('operation_id')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
      .then(({ operation_id }) => operation_id);

  /** The operations that have no answer yet. */
  const runningOperations = () =>
    stack.database.selectFrom('operations').select('id').where('status', '=', 'RUNNING').execute();

  /** Fails what was recorded and never begun, as the Schedule does. */
  const runExpiry = () =>
    stack.temporal.client.workflow.execute('expireVouchers', {
      workflowId: `expiry-${randomUUID()}`,
      taskQueue: stack.config.temporal.temporalTaskQueue,
    });

  const workflowIdOf = async (id: number): Promise<string> => topupId(id, await operationOf(id));

  const workflowOf = async (id: number) =>
    stack.temporal.client.workflow.getHandle(await workflowIdOf(id));

  /** Starts the workflow of a top-up for the retry that made its newest attempt, as a late call of this retry does. */
  async function startAgain(id: number): Promise<void> {
    const made = await stack.database
      .selectFrom('operations')
      .innerJoin('topup_attempts', 'operation_id', 'operations.id')
      .select(['operation_id', 'request_id', 'request_digest', 'company_id', 'attempt'])
      .where('topup_id', '=', id)
      .orderBy('attempt', 'desc')
      .executeTakeFirstOrThrow();
    const command = {
      operationId: made.operation_id,
      requestId: made.request_id,
      requestDigest: made.request_digest,
      company: { kind: 'partner', id: made.company_id },
      transactionId: id,
      attempt: made.attempt,
      msisdn: null,
    } as const;
    const timing = workflowTiming(stack.config);
    const start = topupStart(await workflowIdOf(id), { begin: { kind: 'retry', command }, timing });
    const { temporalTaskQueue: taskQueue } = stack.config.temporal;
    await stack.temporal.client.workflow.start('topup', { ...start.options, taskQueue });
  }

  const eventsOf = async (id: number) => (await (await workflowOf(id)).fetchHistory()).events ?? [];

  /** The pauses that a top-up's workflow has made so far, in seconds. */
  const pausesOf = async (id: number): Promise<number[]> =>
    (await eventsOf(id)).flatMap(({ timerStartedEventAttributes: timer }) =>
      timer ? [Number(timer.startToFireTimeout?.seconds ?? 0)] : [],
    );

  /**
   * Sends retries that all find the top-up FAILED: the first of them is kept from holding its money
   * until the API has read it for the others too.
   */
  async function atTheSameMoment(id: number, requests: readonly (() => Promise<Answer>)[]) {
    const { sent } = await stack.database.transaction().execute(async (transaction) => {
      await transaction
        .selectFrom('topups')
        .select('id')
        .where('id', '=', id)
        .forNoKeyUpdate()
        .executeTakeFirstOrThrow();
      const answers = requests.map((request) => request());
      await untilBlocked(stack.database);
      // Asked after them all, and answered: so they have been read.
      expect((await show(id)).status).toBe('FAILED');
      // In an object, so that the answers are not awaited while the lock is held.
      return { sent: answers };
    });
    return Promise.all(sent);
  }

  return {
    stack,
    partner,
    asPartner,
    products,
    number,
    topup,
    endedTopup,
    retry,
    failedTopup,
    openTopup,
    idOfUnknown,
    show,
    untilStatus,
    wallet,
    delivered,
    settle,
    operationOf,
    runningOperations,
    runExpiry,
    workflowIdOf,
    workflowOf,
    startAgain,
    eventsOf,
    pausesOf,
    atTheSameMoment,
  };
}
