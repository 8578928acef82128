import {
  allHandlersFinished,
  CancellationScope,
  condition,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { ReversalBegun } from '../activities/redemptions/reversals.ts';
import type { Ending } from '../src/domain/providers.ts';
import { messageOf, type OperationOutcome, quoted, type Refusal } from '../src/domain/refusals.ts';
import { database, providers } from './activity-options.ts';
import { mayCome } from './addressed-input.ts';
import {
  createNudges,
  type InquiryTiming,
  providerNudge,
  type RedemptionReversed,
  type ReverseRedemptionInput,
  reversalResult,
} from './contracts.ts';
import { inRows, showDetails } from './current-details.ts';
import { outcome, reference, voucherSerial } from './search-attributes.ts';
import { answerCall } from './steps/answers.ts';
import { bookUntilDone, stepFailed } from './steps/database-steps.ts';
import { finalOutcome, type Urgency, urgencyWords } from './steps/final-outcome.ts';
import { sendUntilSettled } from './steps/messages.ts';
import { isHeldBy, namedCalls, raiseForeignHold } from './steps/named-results.ts';
import { askedFirst, atProvider } from './steps/waiting.ts';

/** A reversal as support staff and the provider know it. */
const describeReversal = (begun: ReversalBegun): string =>
  `ETB ${begun.toMerchant} back from ${begun.merchantName}, reversal reference ${begun.reference}` +
  `${atProvider(askedFirst(begun.provider))}; ` +
  `voucher ${begun.serialNumber}, fee ETB ${begun.serviceFee}, ${begun.platformReference}.`;

const showRefused = (refusal: Refusal): void =>
  showDetails(
    `**Refused**: ${quoted(messageOf(refusal.reason, refusal.detail))}.`,
    'Nothing was changed.',
  );

const showUnknown = (begun: ReversalBegun, lastMessage: string, urgency: Urgency): void =>
  showDetails(
    `${urgencyWords[urgency]}**Reversal unknown**: ${describeReversal(begun)}`,
    `The provider's last message: ${lastMessage}. Nothing is credited before the provider has ` +
      'confirmed it, and the service asks the provider again. To ask now, send the signal ' +
      '`providerNudge`.',
  );

const showReversed = (begun: ReversalBegun, providerReference: string): void =>
  showDetails(
    `**Reversed**: ${describeReversal(begun)}`,
    `Provider's reference ${providerReference}.`,
  );

const showNotReversed = (begun: ReversalBegun, message: string): void =>
  showDetails(
    `**Not reversed**: ${describeReversal(begun)}`,
    `The provider's last message: ${quoted(message)}. The payment stands.`,
  );

/** Takes a payment back; ends when the outcome is known. */
function reverseUntilKnown(
  operationId: string,
  begun: ReversalBegun,
  { takeNudge, ...timing }: InquiryTiming & { readonly takeNudge: () => boolean },
): Promise<Ending> {
  upsertSearchAttributes([
    inRows(`Reversal of ETB ${begun.toMerchant}, paid to ${begun.merchantName}`),
    { key: voucherSerial, value: begun.serialNumber },
    { key: reference, value: [begun.platformReference, begun.reference] },
  ]);
  const named = namedCalls(operationId);
  const summary = `ETB ${begun.toMerchant} of ${begun.platformReference}`;
  return finalOutcome({
    timing,
    possiblySent: begun.isResumed,
    takeNudge,
    send: (isFirst) => named(providers.reversePayment, `Reverse ${summary}`, isFirst),
    inquire: () => named(providers.inquireReversal, `Ask about the reversal of ${summary}`),
    whileUnknown: async (lastMessage, urgency) => {
      upsertSearchAttributes([{ key: outcome, value: 'UNKNOWN' }]);
      showUnknown(begun, lastMessage, urgency);
      // A refusal of the database must not prevent the inquiry.
      if (urgency !== 'none') await database.noteReversalNeedsAction(operationId).catch(stepFailed);
    },
  });
}

/** How a reversal ended, for the Temporal UI. */
interface ReverseRedemptionResult {
  readonly ended: 'refused' | 'reversed' | 'not-reversed';
}

/**
 * Takes the payment of a redemption back: nothing is credited before the provider has
 * confirmed it. It answers when the outcome is booked, and then tells the owner. A cancellation in the
 * UI has no effect.
 */
export function reverseRedemption(input: ReverseRedemptionInput): Promise<ReverseRedemptionResult> {
  return CancellationScope.nonCancellable(() => reverse(input));
}

async function reverse(input: ReverseRedemptionInput): Promise<ReverseRedemptionResult> {
  const { operationId } = input.command;
  const { maximumNudges, ...timing } = input.timing;
  const { take: takeNudge, give } = createNudges(maximumNudges);
  let answer: OperationOutcome<RedemptionReversed> | undefined;
  const answered = condition(() => answer !== undefined).then(
    () => answer as OperationOutcome<RedemptionReversed>,
  );
  answerCall(reversalResult, answered, {
    description: 'For the API alone: how the reversal ended.',
    validator: mayCome,
  });
  setHandler(providerNudge, give, {
    description:
      'Asks the provider at once how the reversal ended, or tries at once to book it. Safe at any time. Needs no input.',
  });
  const begun = await database.beginReversal(input.command);
  if (begun.kind === 'answered') {
    answer = begun.outcome;
    const { result } = begun.outcome;
    if (!result.ok) showRefused(result);
    await condition(allHandlersFinished);
    return { ended: result.ok ? 'reversed' : 'refused' };
  }
  if (!isHeldBy(operationId, begun)) throw raiseForeignHold(operationId);
  const ending = await reverseUntilKnown(operationId, begun, { ...timing, takeNudge });
  const booked = await bookUntilDone({
    alarmAfterMs: timing.alarmAfterMs,
    takeNudge,
    book: () => database.endReversal(operationId, ending),
    description: describeReversal(begun),
    note: () => database.noteReversalNeedsAction(operationId),
  });
  answer = booked.outcome;
  report(begun, ending);
  if (booked.messageId !== null) await sendUntilSettled(booked.messageId, 'Tell the owner by SMS');
  await condition(allHandlersFinished);
  return { ended: ending.kind === 'done' ? 'reversed' : 'not-reversed' };
}

/** Shows the outcome of a reversal to support staff. */
function report(begun: ReversalBegun, ending: Ending): void {
  const references = [begun.platformReference, begun.reference];
  if (ending.kind === 'done') references.push(ending.providerReference);
  upsertSearchAttributes([
    { key: outcome, value: ending.kind === 'done' ? 'SUCCESS' : 'FAILED' },
    { key: reference, value: references },
  ]);
  if (ending.kind === 'done') showReversed(begun, ending.providerReference);
  else showNotReversed(begun, ending.message);
}
