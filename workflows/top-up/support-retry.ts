import { uuid4 } from '@temporalio/workflow';
import type { RetryCommand, TopUpCommand } from '../contracts.ts';

/** A separate operation for an attempt that support staff request. */
export const supportRetry = (command: TopUpCommand, attempt: number): RetryCommand => ({
  operationId: uuid4().replaceAll('-', ''),
  requestId: uuid4(),
  requestDigest: 'support',
  // Without the first caller's token: support staff retry long after its expiry.
  company: {
    kind: command.company.kind,
    id: command.company.id,
    credential: { operatorSignal: 'retry' },
  },
  transactionId: command.transactionId,
  attempt,
  msisdn: null,
});
