import { setCurrentDetails } from '@temporalio/workflow';
import type { RedemptionHeld } from '../activities/redemption-holds.js';
import { providers } from './activity-options.js';
import type { RedemptionTiming } from './messages.js';
import { type Ending, untilKnown } from './until-known.js';

/** Pays the merchant of a held redemption; ends when it is known whether it was paid. */
export function payMerchant(
  operationId: string,
  hold: RedemptionHeld,
  timing: RedemptionTiming,
): Promise<Ending> {
  const summary = `ETB ${hold.toMerchant} to the merchant, ${hold.platformReference}`;
  return untilKnown({
    timing,
    mayBeSent: hold.isResumed,
    send: () =>
      providers.payMerchant.executeWithOptions({ summary: `Pay ${summary}` }, [operationId]),
    inquire: () =>
      providers.inquirePayment.executeWithOptions({ summary: `Ask about ${summary}` }, [
        operationId,
      ]),
    whileUnknown: async (lastWords, isOverdue) =>
      setCurrentDetails(
        `${isOverdue ? '**Overdue: ask the provider by phone.** ' : ''}**Payment unknown**: ETB ` +
          `${hold.toMerchant} to ${hold.merchantName}, payment reference ` +
          `${hold.paymentReference}.\n\nThe provider's last words: ${lastWords}. The money stays on ` +
          'hold and the provider is asked again by itself.\n\n' +
          `Voucher ${hold.serialNumber}, fee ETB ${hold.serviceFee}, ${hold.platformReference}.`,
      ),
  });
}
