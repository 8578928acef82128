import { upsertSearchAttributes } from '@temporalio/workflow';
import type { ReversalBegun } from '../../activities/redemptions/reversal-beginnings.ts';
import { database, providers } from '../activity-options.ts';
import { outcome } from '../search-attributes.ts';
import { stepFailed } from '../steps/book-until-done.ts';
import { type Ending, finalOutcome } from '../steps/final-outcome.ts';
import { namedCalls } from '../steps/named-results.ts';
import type { ReversalTiming } from './contracts.ts';
import { showUnknown } from './reversal-details.ts';

/** Takes a payment back; ends when the outcome is known. */
export function reverseUntilKnown(
  operationId: string,
  begun: ReversalBegun,
  { takeHint, ...timing }: ReversalTiming & { readonly takeHint: () => boolean },
): Promise<Ending> {
  const named = namedCalls(operationId);
  const summary = `ETB ${begun.toMerchant} of ${begun.platformReference}`;
  return finalOutcome({
    timing,
    possiblySent: begun.isResumed,
    takeHint,
    send: () =>
      named((call) =>
        providers.reversePayment.executeWithOptions({ summary: `Reverse ${summary}` }, [
          operationId,
          call,
        ]),
      ),
    inquire: () =>
      named((call) =>
        providers.inquireReversal.executeWithOptions(
          { summary: `Ask about the reversal of ${summary}` },
          [operationId, call],
        ),
      ),
    whileUnknown: async (lastMessage, urgency) => {
      upsertSearchAttributes([{ key: outcome, value: 'UNKNOWN' }]);
      showUnknown(begun, lastMessage, urgency);
      // A refusal of the database must not prevent the inquiry.
      if (urgency !== 'none') await database.noteReversalNeedsAction(operationId).catch(stepFailed);
    },
  });
}
