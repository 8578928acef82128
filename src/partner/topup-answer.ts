import { topupReference } from '../domain/topup.js';
import { type RefusalReply, type Reply, reply } from '../http/envelope.js';
import type { NumberedTopup, TopUpAnswer } from '../operations/top-up.js';

/** Where a top-up stands while nobody knows how it will end: accepted, under this number. */
const acceptedAnswer = (topup: NumberedTopup): Reply =>
  reply(
    {
      transactionId: topup.transactionId,
      message: 'The top-up was accepted and is being processed',
      referenceNumber: topupReference(topup.creationId, topup.attempt),
    },
    { message: 'Accepted and processing' },
  );

/**
 * The answer to a top-up that was accepted, delivered or refused, or has failed. A failure that can be
 * retried carries the failure envelope of specification 4.1.
 */
export function topupAnswer(topup: TopUpAnswer): Reply | RefusalReply {
  if ('accepted' in topup) return acceptedAnswer(topup.accepted);
  const { result, replayed } = topup;
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
