import type { TakenStatus } from '../accepted-requests.js';
import type { Payout } from '../books.js';
import { type CallbackSender, toldStatuses } from '../callback-sender.js';
import type { Faults } from '../faults/provider-faults.js';
import { transactionOf } from './answers.js';
import { errorObject } from './errors.js';

export interface PayoutCallbacks {
  /** Sends a callback for a new status, as the number's scenario demands. */
  announce(payout: Payout, status: TakenStatus): Promise<void>;
}

/**
 * GSMA's callbacks (providers.md 3.1): PUTs the transaction, or the error object of a failure, with the
 * correlation id of the request.
 */
export const createPayoutCallbacks = (sender: CallbackSender, faults: Faults): PayoutCallbacks => ({
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
