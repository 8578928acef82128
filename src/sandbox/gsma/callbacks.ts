import type { Payout } from '../books.ts';
import { type CallbackSender, toldStatuses } from '../callback-sender.ts';
import type { Callbacks } from '../end-later.ts';
import type { Faults } from '../faults/provider-faults.ts';
import { transactionOf } from './answers.ts';
import { errorObject } from './errors.ts';

/**
 * GSMA's callbacks (providers.md 3.1): PUTs the transaction, or the error object of a failure, with the
 * correlation id of the request.
 */
export const createPayoutCallbacks = (
  sender: CallbackSender,
  faults: Faults,
): Callbacks<Payout> => ({
  async announce(payout, status) {
    const { callbackUrl, callback, correlationId, isInPascalCase } = payout;
    if (callbackUrl === undefined || faults.of('gsma').losesCallbacks) return;
    for (const told of toldStatuses[callback](status)) {
      const body =
        told === 'failed' ? errorObject('failed', isInPascalCase) : transactionOf(payout, told);
      const headers = { 'X-CorrelationID': correlationId };
      await sender.send({ method: 'PUT', url: callbackUrl, headers, body });
    }
  },
});
