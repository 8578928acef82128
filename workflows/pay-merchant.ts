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
    send: () =>
      providers.payMerchant.executeWithOptions({ summary: `Pay ${summary}` }, [operationId]),
    inquire: () =>
      providers.inquirePayment.executeWithOptions({ summary: `Ask about ${summary}` }, [
        operationId,
      ]),
    whileUnknown: async (lastWords, isOverdue) =>
      setCurrentDetails(
        `**Payment unknown**: ETB ${hold.toMerchant}, fee ETB ${hold.serviceFee}, voucher ` +
          `${hold.serialNumber}, our reference ${hold.platformReference}.\n\n` +
          `The provider's last words: ${lastWords}. The money stays on hold and the provider is ` +
          `asked again by itself.${isOverdue ? ' **Overdue: ask the provider by phone.**' : ''}`,
      ),
  });
}
