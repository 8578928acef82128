import type { TopupHeld } from '../../activities/topups/topup-holds.ts';
import type { Ending } from '../../src/domain/providers.ts';
import { messageOf, quoted, type Refusal } from '../../src/domain/refusals.ts';
import { ON_HOLD, showDetails, untilWhen } from '../current-details.ts';
import { type Urgency, urgencyWords } from '../steps/final-outcome.ts';
import { atProvider, failoverParagraph, type Shown } from '../steps/waiting.ts';

const CHARGED = "The money has left the partner's wallet. No action is needed.";

type NotDone = Ending & { readonly kind: 'not-done' };

/** Why an attempt was not done. */
const reasonsOf = ({ message, by }: NotDone): string[] =>
  by === 'service'
    ? [
        `The top-up was not sent: ${quoted(message)}. The money is back in the partner's wallet.`,
        'Where a retry is not sent either, an operator checks the providers: `npm run admin -- providers check`.',
      ]
    : [
        `The provider's last message: ${quoted(message)}. The money is back in the partner's wallet.`,
      ];

const howToRetry = (retryWindowMs: number): string =>
  'To retry: *More Actions*, *Send a Signal*, `retry`, *Submit*; no input is needed. The retry holds the ' +
  'money again and goes to the same number; an amount that needs two people is refused. Any amount, to ' +
  'the same or another number: *Retry the top-up* at `/support`, or the partner by the API; both also after ' +
  `the workflow ends, at ${untilWhen(retryWindowMs)}.`;

const HOW_TO_SETTLE =
  'After a day, or as soon as the provider says by letter or telephone how it ended: *Settle the ' +
  'top-up* at `/support`, with its reference.';

const WHO_SETTLES =
  'A separate case settles who pays, found by `NeedsAction = true` until it is settled.';

export type ShownTopup = Shown<TopupHeld>;

interface UnknownOutcome {
  readonly lastMessage: string;
  readonly urgency: Urgency;
  /** The provider's message of the attempt before. */
  readonly lastFailure: string | undefined;
}

const earlierFailure = (message: string | undefined): string[] =>
  message === undefined
    ? []
    : [`The last attempt failed. The provider's message: ${quoted(message)}.`];

/** The details of a top-up for support staff; `transactionId` is its number for partners. */
export function createTopupDetails(transactionId: number) {
  const describe = (hold: ShownTopup): string =>
    `top-up ${transactionId}, ${hold.product}, ETB ${hold.amount} to ${hold.msisdn}, ` +
    `attempt ${hold.attempt}, our reference ${hold.reference}` +
    atProvider(hold.asked);

  return {
    sending: (hold: ShownTopup, lastFailure: string | undefined) =>
      showDetails(`**Sending**: ${describe(hold)}.`, ...earlierFailure(lastFailure), ON_HOLD),

    unknown: (hold: ShownTopup, { lastMessage, urgency, lastFailure }: UnknownOutcome) =>
      showDetails(
        `${urgencyWords[urgency]}**Outcome unknown**: ${describe(hold)}.`,
        ...earlierFailure(lastFailure),
        `The provider's last message: ${lastMessage}. The money stays on hold, and the service asks ` +
          'the provider again. Do not send it by another way: that could deliver it twice. To ask now, ' +
          'send the signal `providerNudge`. A retry is possible after the outcome is known.',
        ...failoverParagraph(hold.asked),
        HOW_TO_SETTLE,
      ),

    delivered: (hold: ShownTopup, { providerReference, reversal }: Ending & { kind: 'done' }) =>
      showDetails(
        ...(reversal === undefined ? [] : [`**${quoted(reversal)}.**`]),
        `**Delivered**: ${describe(hold)}. Provider's reference ${providerReference}.`,
        ...failoverParagraph(hold.asked),
        ...(reversal === undefined ? [CHARGED] : []),
      ),

    failed: (hold: ShownTopup, ending: NotDone, retryWindowMs: number) =>
      showDetails(
        `**${ending.by === 'service' ? 'Not sent' : 'Failed'}**: ${describe(hold)}.`,
        ...reasonsOf(ending),
        ...failoverParagraph(hold.asked),
        howToRetry(retryWindowMs),
      ),

    /** A failed top-up was delivered late. */
    deliveredLate: () =>
      showDetails(
        `**Delivered late**: the provider delivered top-up ${transactionId} after it had reported a ` +
          'failure. It needs no further attempt.',
        WHO_SETTLES,
      ),

    /** An earlier run delivered the top-up. */
    deliveredBefore: () =>
      showDetails(
        `**Delivered**: top-up ${transactionId}, before this run began. It has sent and charged nothing.`,
        'The case at `/support` has the attempt and the provider’s reference. No action is needed.',
      ),

    retryRefused: ({ reason, detail }: Refusal) =>
      showDetails(
        `**The retry was refused**: ${messageOf(reason, detail)}.`,
        'The top-up still waits for a retry: by the signal `retry`, or *Retry the top-up* at `/support`.',
      ),

    /** This run sent nothing. */
    refused: ({ reason, detail }: Refusal) =>
      showDetails(
        `**Refused**: top-up ${transactionId}: ${quoted(messageOf(reason, detail))}. This run sent ` +
          'and charged nothing.',
      ),

    windowOver: (hold: ShownTopup | undefined) =>
      showDetails(
        `**Failed**${hold ? `: ${describe(hold)}` : `: top-up ${transactionId}`}.`,
        "The money is back in the partner's wallet. The workflow accepts no more signals; " +
          'retry it at `/support` (*Retry the top-up*), or the partner does by the API.',
      ),
  };
}
