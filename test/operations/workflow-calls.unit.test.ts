import {
  type Client,
  NamespaceNotFoundError,
  ServiceError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { describe, expect, it, vi } from 'vitest';
import type { WorkflowClientOptions } from '../../src/operations/workflow-calls.ts';
import {
  calls,
  createWorkflowClient,
  WorkflowsUnavailableError,
} from '../../src/operations/workflow-calls.ts';
import type { RedeemCommand } from '../../workflows/contracts.ts';

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

/** Redeems through a client whose updates end as they are told. */
function redeemBy(update: () => Promise<unknown>) {
  const client = {
    withDeadline: (_deadline: number, call: () => Promise<unknown>) => call(),
    workflow: { executeUpdateWithStart: update },
  } as unknown as Client;
  const workflows = createWorkflowClient({
    client,
    reachability: { isReachable: async () => true, doubt: () => {} },
    taskQueue: 'test',
    eager: false,
    callerWaitMs: 60_000,
    timing: {} as WorkflowClientOptions['timing'],
    failpoint: () => undefined,
    numbers: { hashOf: () => 'hash', hashOfStored: () => 'hash' },
  });
  return workflows.call(calls.redeem, { voucher, command }, Date.now() + 60_000);
}

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

it('a workflow that Temporal has lost may have been done', async () => {
  const update = vi.fn().mockRejectedValue(new WorkflowNotFoundError('gone', 'id', undefined));
  const error = await redeemBy(update).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(WorkflowsUnavailableError);
  expect(error).toMatchObject({ isCertain: false });
});
