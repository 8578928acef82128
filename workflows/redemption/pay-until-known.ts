import type { SearchAttributePair } from '@temporalio/common';
import { upsertSearchAttributes } from '@temporalio/workflow';
import type { RedemptionHeld } from '../../activities/redemptions/held-redemption.ts';
import { providers } from '../activity-options.ts';
import type { RedemptionTiming } from '../contracts.ts';
import { outcome, reference, voucherSerial } from '../search-attributes.ts';
import { type Ending, finalOutcome } from '../steps/final-outcome.ts';
import { namedCalls } from '../steps/named-results.ts';
import { type ShownRedemption, showUnknown } from './redemption-details.ts';

/** Pays the merchant of a held redemption; ends when the outcome is known. */
export function payUntilKnown(
  operationId: string,
  hold: ShownRedemption,
  { takeHint, ...timing }: RedemptionTiming & { readonly takeHint: () => boolean },
): Promise<Ending> {
  const named = namedCalls(operationId);
  const summary = `ETB ${hold.toMerchant} to the merchant, ${hold.platformReference}`;
  let isMarked = false;
  return finalOutcome({
    timing,
    possiblySent: hold.isResumed,
    takeHint,
    send: (isFirst) =>
      named((call) =>
        providers.payMerchant.executeWithOptions({ summary: `Pay ${summary}` }, [
          operationId,
          call,
          isFirst,
        ]),
      ),
    inquire: () =>
      named((call) =>
        providers.inquirePayment.executeWithOptions({ summary: `Ask about ${summary}` }, [
          operationId,
          call,
        ]),
      ),
    note: ({ asked }) => {
      hold.asked = asked ?? hold.asked;
    },
    whileUnknown: async (lastMessage, urgency) => {
      if (!isMarked)
        upsertSearchAttributes([...attributesOf(hold), { key: outcome, value: 'UNKNOWN' }]);
      isMarked = true;
      showUnknown(hold, lastMessage, urgency);
    },
  });
}

/** What a redemption is found by, with its references at the provider so far. */
export const attributesOf = (
  hold: RedemptionHeld,
  ...providerReferences: readonly string[]
): SearchAttributePair[] => [
  { key: voucherSerial, value: hold.serialNumber },
  {
    key: reference,
    value: [hold.platformReference, hold.paymentReference, ...providerReferences],
  },
];
