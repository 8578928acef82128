import { upsertSearchAttributes } from '@temporalio/workflow';
import type { RedemptionHeld } from '../../activities/redemption-holds.js';
import { providers } from '../activity-options.js';
import { showDetails } from '../current-details.js';
import type { RedemptionTiming } from '../messages.js';
import { outcome } from '../search-attributes.js';
import { type Ending, finalOutcome, urgencyWords } from '../steps/final-outcome.js';
import { namedCalls } from '../steps/named-results.js';
import { describeRedemption } from './redemption-details.js';

/** Pays the merchant of a held redemption; ends when the outcome is known. */
export function payMerchant(
  operationId: string,
  hold: RedemptionHeld,
  { takeHint, ...timing }: RedemptionTiming & { readonly takeHint: () => boolean },
): Promise<Ending> {
  const named = namedCalls(operationId, timing.resultsAreNamed);
  const summary = `ETB ${hold.toMerchant} to the merchant, ${hold.platformReference}`;
  let isMarked = isFromBefore(hold);
  return finalOutcome({
    timing,
    possiblySent: hold.isResumed,
    takeHint,
    send: () =>
      named((call) =>
        providers.payMerchant.executeWithOptions({ summary: `Pay ${summary}` }, [
          operationId,
          call,
        ]),
      ),
    inquire: () =>
      named((call) =>
        providers.inquirePayment.executeWithOptions({ summary: `Ask about ${summary}` }, [
          operationId,
          call,
        ]),
      ),
    whileUnknown: async (lastMessage, urgency) => {
      if (!isMarked) upsertSearchAttributes([{ key: outcome, value: 'UNKNOWN' }]);
      isMarked = true;
      showDetails(
        `${urgencyWords[urgency]}**Payment unknown**: ${describeRedemption(hold)}`,
        `The provider's last words: ${lastMessage}. The money stays on hold and the provider is asked ` +
          'again by itself; to ask now, send the signal `providerHint`.',
      );
    },
  });
}

/**
 * Whether a history is older than the search attribute of payments: setting it is a command, which
 * a replay of such a history must not issue.
 */
export const isFromBefore = ({ payoutAccount }: RedemptionHeld): boolean =>
  payoutAccount === undefined;
