import { topupReference } from '../domain/topup.js';
import { type RefusalReply, type Reply, reply } from '../http/envelope.js';
import type { OperationResult } from '../http/operation.js';

/** What a top-up came to, as its workflow says it. */
export interface ToppedUp {
  readonly ok: true;
  readonly transactionId: number;
  readonly referenceNumber: string;
}

/** Where a top-up stands while nobody knows how it will end: accepted, under this number. */
export const stillProcessing = (topup: {
  readonly transactionId: number;
  readonly creationId: string;
  readonly attempt: number;
}): Reply =>
  reply(
    {
      transactionId: topup.transactionId,
      message: 'The top-up was accepted and is being processed',
      referenceNumber: topupReference(topup.creationId, topup.attempt),
    },
    { message: 'Accepted and processing' },
  );

/**
 * The answer to a top-up that is known to be delivered, or to have failed, or was refused. A failure
 * that can be retried carries the failure envelope of specification 4.1.
 */
export function topupAnswer({ result, replayed }: OperationResult<ToppedUp>): Reply | RefusalReply {
  if (result.ok) {
    return reply(
      {
        transactionId: result.transactionId,
        status: 'SUCCESS',
        message: 'The top-up was delivered',
        referenceNumber: result.referenceNumber,
      },
      { message: 'Delivered', replayed },
    );
  }
  if (result.transactionId === undefined) return { ...result, replayed };
  const { transactionId, detail = null } = result;
  return {
    ...result,
    replayed,
    data: { transactionId, status: 'FAILED', referenceNumber: null, message: detail },
  };
}
