import { topupReference } from '../../domain/topup.ts';
import { type RefusalReply, type Reply, reply } from '../../http/envelope.ts';
import type { NumberedTopup, TopUpAnswer } from '../../operations/top-up.ts';

/** The answer while the result is unknown: accepted, with the number of the top-up. */
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
 * The answer to a top-up: accepted, delivered, refused or failed. A failure that can be retried has
 * the failure envelope of specification 4.1.
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
