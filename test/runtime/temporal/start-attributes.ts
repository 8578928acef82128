import type { WorkflowExecutionInfo } from '@temporalio/client';
import { expect } from 'vitest';
import type { Stack } from '../../support/stack.ts';
import { until } from '../../support/until.ts';

const COMPANY = ['PartnerId', 'MerchantId'];
const ofVoucher = [...COMPANY, 'VoucherSerial', 'NumberHash'];

/** By what each operation's workflow is found from its start on: the table of docs/guides/support.md. */
export const expected: Readonly<Record<string, readonly string[]>> = {
  // Its serial number and its merchant are known only once it is generated.
  'generate-voucher': ['PartnerId', 'NumberHash'],
  claim: ofVoucher,
  redeem: [...COMPANY, 'VoucherSerial'],
  'cancel-voucher': ofVoucher,
  'resend-message': ofVoucher,
  reverse: [...ofVoucher, 'Reference'],
  'top-up': ['PartnerId', 'TransactionId', 'NumberHash'],
  'generate-bulk': ['PartnerId'],
  'check-payout-account': ['MerchantId'],
  repair: ofVoucher,
  case: [...COMPANY, 'VoucherSerial', 'Reference'],
  // Of the company that it is about.
  'deliver-webhooks': ['PartnerId'],
};

export const hasAll = (operation: string, attributes: Record<string, unknown>) =>
  expect(Object.keys(attributes), operation).toEqual(
    expect.arrayContaining(['Operation', ...(expected[operation] ?? [])]),
  );

/** Looks for the workflows of a stack by what they were started with. */
export function createStarts({ temporal: { client }, config }: Pick<Stack, 'temporal' | 'config'>) {
  /** The workflows of an operation that a query finds. */
  async function found(operation: string, query?: string): Promise<WorkflowExecutionInfo[]> {
    const all: WorkflowExecutionInfo[] = [];
    for await (const one of client.workflow.list({
      query: [
        `TaskQueue = "${config.temporal.temporalTaskQueue}" AND Operation = "${operation}"`,
        ...(query === undefined ? [] : [query]),
      ].join(' AND '),
    }))
      all.push(one);
    return all;
  }

  /** What the workflow of an operation was started with, which no later step of it can have added. */
  async function startedWith(operation: string, query?: string): Promise<Record<string, unknown>> {
    const one = await until(async () => {
      const [first] = await found(operation, query);
      if (!first) throw new Error(`No workflow of ${operation} where ${query}`);
      return first;
    });
    const history = await client.workflow.getHandle(one.workflowId, one.runId).fetchHistory();
    const fields =
      history.events?.[0]?.workflowExecutionStartedEventAttributes?.searchAttributes?.indexedFields;
    return Object.fromEntries(
      Object.entries(fields ?? {}).map(([name, { data }]) => [
        name,
        JSON.parse(Buffer.from(data ?? []).toString('utf8')),
      ]),
    );
  }

  return { found, startedWith };
}

export type Starts = ReturnType<typeof createStarts>;
