import { uuid4 } from '@temporalio/workflow';
import type { RetryCommand, TopUpCommand } from '../messages.js';

/** An operation of its own for an attempt that support staff want. */
export const supportRetry = (command: TopUpCommand, attempt: number): RetryCommand => ({
  operationId: uuid4().replaceAll('-', ''),
  requestId: uuid4(),
  requestDigest: 'support',
  // Not by the token of whoever asked first: support staff retry long after it has ended.
  company: {
    kind: command.company.kind,
    id: command.company.id,
    credential: { operatorSignal: 'retry' },
  },
  transactionId: command.transactionId,
  attempt,
  msisdn: null,
});
