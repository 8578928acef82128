import type { RedemptionHeld } from '../activities/redemption-holds.js';
import { providers } from './activity-options.js';
import { showDetails } from './current-details.js';
import type { RedemptionTiming } from './messages.js';
import { namedCalls } from './named-results.js';
import { type Ending, untilKnown, urgencyWords } from './until-known.js';

/** Pays the merchant of a held redemption; ends when it is known whether it was paid. */
export function payMerchant(
  operationId: string,
  hold: RedemptionHeld,
  timing: RedemptionTiming,
): Promise<Ending> {
  const named = namedCalls(operationId, timing.resultsAreNamed);
  const summary = `ETB ${hold.toMerchant} to the merchant, ${hold.platformReference}`;
  return untilKnown({
    timing,
    mayBeSent: hold.isResumed,
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
    whileUnknown: async (lastWords, urgency) =>
      showDetails(
        `${urgencyWords[urgency]}**Payment unknown**: ${describeRedemption(hold)}`,
        `The provider's last words: ${lastWords}. The money stays on hold and the provider is asked ` +
          'again by itself.',
      ),
  });
}

/** A redemption as support staff and the provider know it. */
export const describeRedemption = (hold: RedemptionHeld): string =>
  `ETB ${hold.toMerchant} to ${hold.merchantName}, payment reference ${hold.paymentReference}; ` +
  `voucher ${hold.serialNumber}, fee ETB ${hold.serviceFee}, ${hold.platformReference}.`;
