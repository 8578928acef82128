import {
  type Client,
  NamespaceNotFoundError,
  ServiceError,
  WorkflowFailedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { ApplicationFailure, TerminatedFailure } from '@temporalio/common';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  StillProcessingError,
  WorkflowsUnavailableError,
} from '../../src/operations/call-errors.ts';
import type { WorkflowCall, WorkflowClientOptions } from '../../src/operations/workflow-calls.ts';
import { calls, createWorkflowClient } from '../../src/operations/workflow-calls.ts';
import type {
  ClaimCommand,
  GenerateVoucherCommand,
  RedeemCommand,
} from '../../workflows/contracts.ts';

const outcome = { requestId: 'first', requestDigest: 'digest', result: { ok: true } };
const command = { requestId: 'first', company: { kind: 'partner', id: 1 } } as RedeemCommand;
const voucher = {
  generationId: 'generation',
  claimOperationId: null,
  claimWorkflowId: null,
  serialNumber: '012345678901234567',
  partnerId: 1,
  merchantId: 2,
  ownerMsisdn: null,
  remaining: '500.00',
  partner: 'Abay Trading',
  merchant: 'Kebede Store',
};

const updateFailed = (type: string) =>
  new WorkflowUpdateFailedError('Workflow Update failed', ApplicationFailure.create({ type }));

/** Calls workflows through a client that does what it is told. */
const clientOf = (
  workflow: Readonly<Record<string, unknown>>,
  answers?: WorkflowClientOptions['answers'],
) =>
  createWorkflowClient({
    client: {
      withDeadline: (_deadline: number, call: () => Promise<unknown>) => call(),
      workflow,
    } as unknown as Client,
    reachability: { isReachable: async () => true, doubt: () => {} },
    taskQueue: 'test',
    answers,
    callerWaitMs: 60_000,
    timing: {} as WorkflowClientOptions['timing'],
    failpoint: () => undefined,
    numbers: { hashOf: () => 'hash', hashOfStored: () => 'hash' },
  });

/** Redeems through a client whose updates end as they are told. */
const redeemBy = (update: () => Promise<unknown>) =>
  clientOf({ executeUpdateWithStart: update }).call(
    calls.redeem,
    { voucher, command },
    Date.now() + 60_000,
  );

/** As the server answers where the workflow task that carried the update failed. */
const workflowTaskFailed = new ServiceError('Unable to perform workflow execution update', {
  cause: Object.assign(new Error('9 FAILED_PRECONDITION'), {
    code: 9,
    details: '',
    metadata: {},
  }),
});

describe.each([
  ['AcceptedUpdateCompletedWorkflow', updateFailed('AcceptedUpdateCompletedWorkflow')],
  ['UnprocessedUpdate', updateFailed('UnprocessedUpdate')],
  ['a failed workflow task', workflowTaskFailed],
])('an update that the server ends with %s', (_name, failure) => {
  it('is sent again until it meets its workflow', async () => {
    const update = vi
      .fn()
      .mockRejectedValueOnce(failure)
      .mockRejectedValueOnce(failure)
      .mockResolvedValue(outcome);
    expect(await redeemBy(update)).toBe(outcome);
    expect(update).toHaveBeenCalledTimes(3);
  });

  it('is to be repeated by the caller where that goes on, and may have been done', async () => {
    const update = vi.fn().mockRejectedValue(failure);
    const error = await redeemBy(update).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(WorkflowsUnavailableError);
    expect(error).toMatchObject({ isCertain: false });
    expect(update).toHaveBeenCalledTimes(4);
  });
});

it('a namespace that is gone is to be repeated by the caller: workers make it again', async () => {
  const update = vi.fn().mockRejectedValue(new NamespaceNotFoundError('default'));
  await expect(redeemBy(update)).rejects.toBeInstanceOf(WorkflowsUnavailableError);
});

it('a failure of the workflow itself is neither repeated nor hidden', async () => {
  const failure = updateFailed('SomethingElse');
  const update = vi.fn().mockRejectedValue(failure);
  await expect(redeemBy(update)).rejects.toBe(failure);
  expect(update).toHaveBeenCalledTimes(1);
});

it('a workflow that somebody terminated may have done it', async () => {
  const failure = new WorkflowFailedError('It failed', new TerminatedFailure('It hung'), undefined);
  const start = async () => ({ result: () => Promise.reject(failure) });
  const request = { company: { kind: 'partner', id: 1 } } as GenerateVoucherCommand;
  const calling = clientOf({ start }).call(calls.generate, request, Date.now() + 60_000);
  const error = await calling.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(WorkflowsUnavailableError);
  expect(error).toMatchObject({ isCertain: false });
});

it('a workflow that Temporal has lost may have been done', async () => {
  const update = vi.fn().mockRejectedValue(new WorkflowNotFoundError('gone', 'id', undefined));
  const error = await redeemBy(update).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(WorkflowsUnavailableError);
  expect(error).toMatchObject({ isCertain: false });
});

/** A workflow ends with its answer, or with how it ended. */
const end = { ...outcome, ended: 'refused' };

describe.each([
  { name: 'started elsewhere', eagerlyStarted: false, isAsked: true },
  {
    name: 'started here, which answers at once',
    eagerlyStarted: true,
    told: { answer: end, isKept: true },
    isAsked: false,
  },
  {
    name: 'started here, whose answer only Temporal keeps',
    eagerlyStarted: true,
    told: { answer: end, isKept: false },
    isAsked: true,
  },
  { name: 'started here, which does not answer soon', eagerlyStarted: true, isAsked: true },
])('a workflow $name', ({ eagerlyStarted, told, isAsked }) => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  async function answerTo<Request, Answer>(kind: WorkflowCall<Request, Answer>, request: Request) {
    const ask = vi.fn().mockResolvedValue(end);
    const start = vi.fn().mockResolvedValue({ eagerlyStarted, result: ask, executeUpdate: ask });
    const listened = vi.fn();
    const answer = told === undefined ? new Promise<never>(() => {}) : Promise.resolve(told);
    const workflows = clientOf({ start }, { listen: () => ({ answer, end: listened }) });
    const calling = workflows.call(kind, request, Date.now() + 60_000);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await calling).toBe(end);
    expect(start).toHaveBeenCalledTimes(1);
    expect(ask).toHaveBeenCalledTimes(isAsked ? 1 : 0);
    expect(listened).toHaveBeenCalledTimes(1);
  }

  const asked = isAsked ? 'is asked for' : 'tells';
  it(`${asked} its result`, () =>
    answerTo(calls.generate, {
      operationId: 'operation',
      company: { kind: 'partner', id: 1 },
    } as GenerateVoucherCommand));

  it(`and goes on: it ${asked} its answer`, () =>
    answerTo(calls.claim, { voucher, command: command as unknown as ClaimCommand }));
});

describe('a refusal that Temporal lost before another task of the workflow decided', () => {
  const refused = { ...outcome, result: { ok: false, reason: 'database-failed' } };
  const listen = () => ({
    answer: Promise.resolve({ answer: refused, isKept: false }),
    end: () => true,
  });
  const callOf = <Request, Answer>(
    kind: WorkflowCall<Request, Answer>,
    request: Request,
    result: object,
  ) => {
    const handle = { eagerlyStarted: true, result: async () => result };
    const workflows = clientOf({ start: async () => handle }, { listen });
    return workflows.call(kind, request, Date.now() + 60_000);
  };
  const claim = { voucher, command: command as unknown as ClaimCommand };

  it('is not the answer: the result is', async () => {
    const request = { company: { kind: 'partner', id: 1 } } as GenerateVoucherCommand;
    expect(await callOf(calls.generate, request, outcome)).toBe(outcome);
  });

  it.each(['refused', 'cancelled'])('stands where it did nothing: %s', async (ended) => {
    expect(await callOf(calls.claim, claim, { ended })).toBe(refused);
  });

  it('is to be repeated by the caller where it did something', async () => {
    const calling = callOf(calls.claim, claim, { ended: 'redeemed' });
    await expect(calling).rejects.toBeInstanceOf(StillProcessingError);
  });
});

it('a workflow that has ended in another process is asked by a new run', async () => {
  const update = vi.fn().mockResolvedValue(outcome);
  const executeUpdate = vi.fn().mockRejectedValue(new WorkflowNotFoundError('over', 'id', ''));
  const start = vi.fn().mockResolvedValue({ eagerlyStarted: false, executeUpdate });
  const listen = () => ({ answer: new Promise<never>(() => {}), end: () => true });
  const workflows = clientOf({ start, executeUpdateWithStart: update }, { listen });
  const request = { voucher, command: command as unknown as ClaimCommand };
  expect(await workflows.call(calls.claim, request, Date.now() + 60_000)).toBe(outcome);
  expect(update).toHaveBeenCalledTimes(1);
});
