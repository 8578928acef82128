import type { MessageOutcome } from '../../activities/messages.ts';
import type { ClaimStarted } from '../../activities/redemptions/claims.ts';
import type { RedemptionHeld } from '../../activities/redemptions/facts.ts';
import type { Ending } from '../../src/domain/providers.ts';
import { messageOf, quoted, type Refusal } from '../../src/domain/refusals.ts';
import { ON_HOLD, showDetails } from '../current-details.ts';
import { type Urgency, urgencyWords } from '../steps/final-outcome.ts';
import { atProvider, byProvider, failoverParagraph, type Shown } from '../steps/waiting.ts';
import type { CodeDelivery } from './code-delivery.ts';

/** How a claim, or a redemption without one, ended; for the Temporal UI. */
export interface RedeemVoucherResult {
  readonly ended:
    | 'refused'
    | 'redeemed'
    | 'not-paid'
    | 'superseded'
    | 'withdrawn'
    | 'expired'
    | 'released'
    | 'cancelled';
}

/** The present state of the code. */
interface CodeProgress {
  /** Undefined while it is being sent. */
  readonly message: MessageOutcome | undefined;
  readonly delivery: CodeDelivery | undefined;
}

const sentWords = (message: MessageOutcome | undefined): string => {
  if (message?.kind === 'accepted')
    return `The code was sent to the owner${byProvider(message.asked)}`;
  return message?.kind === 'unknown'
    ? `${message.asked?.provider ?? 'The SMS provider'} did not confirm the code; the service does not send ` +
        'it again'
    : 'The service sends the code';
};

/** The state of the message after the provider had taken it. */
const deliveryWords = ({ isDelivered, reason }: CodeDelivery): string =>
  isDelivered
    ? 'The code was delivered to the owner'
    : `**The code was not delivered**${reason === null ? '' : `: ${quoted(reason)}`}. The partner or ` +
      'support staff send it again, after the owner has switched the phone on';

/** The report may be about a repetition, which another provider may have sent. */
const codeWords = ({ message, delivery }: CodeProgress): string => {
  if (!delivery) return sentWords(message);
  return `${message?.asked ? `${sentWords(message)}. ` : ''}${deliveryWords(delivery)}`;
};

const endWords = (ended: RedeemVoucherResult['ended'], code: CodeProgress): string[] => {
  const { message } = code;
  if (ended !== 'cancelled') return message ? [`${codeWords(code)}.`] : [];
  return message?.asked ? [`${message.asked.provider} did not take the code.`] : [];
};

/** A claim that waits for its redemption. */
export function showClaimed(
  claim: ClaimStarted,
  progress: CodeProgress & {
    readonly wrongCodes: number | undefined;
    /** The refusal of the last redemption that was tried. */
    readonly refusal: Refusal | undefined;
  },
): void {
  const { message, wrongCodes, refusal } = progress;
  showDetails(
    `**Claimed**: ${describeClaim(claim)}.`,
    `${codeWords(progress)}. The workflow waits for the redemption, or until the claim expires` +
      ` at ${readableTime(claim.expiresAt)}.` +
      `${wrongCodes === undefined ? '' : ` Wrong codes so far: ${wrongCodes}.`}`,
    ...failoverParagraph(message?.asked),
    ...(refusal ? [lastRefusal(refusal)] : []),
    'No money has moved. Where the owner has no code, the partner or support staff (at `/support`) send it ' +
      'again; where the amount or the merchant is wrong, a new claim takes the place of this one.',
  );
}

const describeClaim = ({ amount, serialNumber, merchantName, owner }: ClaimStarted): string =>
  `ETB ${amount} of voucher ${serialNumber}${merchantName ? ` at ${merchantName}` : ''}` +
  `${owner ? `, owner ${owner}` : ''}`;

const readableTime = (iso: string): string => `${iso.slice(0, 19).replace('T', ' ')} UTC`;

const lastRefusal = (refusal: Refusal): string =>
  `The last redemption was refused: ${wordsOf(refusal)}.`;

const wordsOf = ({ reason, detail }: Refusal): string => quoted(messageOf(reason, detail));

/** Shows the end of a claim or redemption without a payment; a payment shows its own end. */
export function showEnd(
  ended: RedeemVoucherResult['ended'],
  claim: ClaimStarted | undefined,
  { refusal, ...code }: CodeProgress & { readonly refusal: Refusal | undefined },
): void {
  if (ended === 'redeemed' || ended === 'not-paid') return;
  const what = claim ? `the claim of ${describeClaim(claim)}` : 'the request';
  const isWhy = ended === 'refused' || ended === 'cancelled';
  const why = refusal && isWhy ? `: ${wordsOf(refusal)}` : '';
  const [title, ...next] = endings[ended];
  showDetails(
    `**${title}**: ${what}${why}.`,
    ...endWords(ended, code),
    ...failoverParagraph(code.message?.asked),
    ...next,
    ...(refusal && !isWhy ? [lastRefusal(refusal)] : []),
  );
}

const FREE_AGAIN =
  'Nothing was paid, and the value is on the voucher. The merchant claims again, and the owner gets a new code.';

const endings = {
  refused: ['Refused', 'Nothing was changed.'],
  expired: ['Expired', FREE_AGAIN],
  superseded: ['Superseded', 'A newer claim of the voucher has taken its place.'],
  withdrawn: ['Withdrawn', 'The voucher was cancelled, and its value went back to the partner.'],
  released: ['Released', 'Support staff ended the claim.', FREE_AGAIN],
  cancelled: ['Cancelled', 'The code did not reach the owner.', FREE_AGAIN],
} as const;

/** A redemption, and the masked number of its voucher's owner, where a claim named it. */
export type ShownRedemption = Shown<RedemptionHeld> & { readonly owner?: string | undefined };

/** A payment whose outcome the provider has not told yet. */
export const showPaying = (hold: ShownRedemption): void =>
  showDetails(`**Paying**: ${describeRedemption(hold)}`, ON_HOLD);

/** A payment whose outcome the provider does not know, or does not tell. */
export const showUnknown = (hold: ShownRedemption, lastMessage: string, urgency: Urgency): void =>
  showDetails(
    `${urgencyWords[urgency]}**Payment unknown**: ${describeRedemption(hold)}`,
    `The provider's last message: ${lastMessage}. The money stays on hold${accountOf(hold)}, and the service ` +
      'asks the provider again. Do not pay it by hand, and do not redeem it again: that could pay twice. To ' +
      'ask now, send the signal `providerNudge`.',
    ...failoverParagraph(hold.asked),
    'After a day, or as soon as the provider says by letter or telephone how it ended: *Settle the ' +
      'payment* at `/support`, with its reference.',
  );

/** The end of a payment that was made. */
export const showPaid = (hold: ShownRedemption, providerReference: string): void =>
  showDetails(
    `**Paid**: ${describeRedemption(hold)}`,
    `Provider's reference ${providerReference}` +
      `${hold.payoutAccount ? `, paid to ${hold.payoutAccount}` : ''}${byProvider(hold.asked)}.`,
    ...failoverParagraph(hold.asked),
    'The money has left the voucher. No action is needed; where the owner was at the wrong merchant, the ' +
      'merchant or support staff (at `/support`) reverse the redemption.',
  );

/** The end of a payment that was refused, or not sent. */
export const showNotPaid = (
  hold: ShownRedemption,
  { message, by }: Ending & { kind: 'not-done' },
): void =>
  by === 'service'
    ? showDetails(
        `**Not sent**: ${describeRedemption(hold)}`,
        `The payment was not sent: ${quoted(message)}. Nothing was paid${accountOf(hold)}: the value is back on ` +
          'the voucher.',
        ...failoverParagraph(hold.asked),
        'The merchant claims and redeems again. Where it is not sent again, an operator checks the providers: ' +
          '`npm run admin -- providers check`.',
      )
    : showDetails(
        `**Not paid**: ${describeRedemption(hold)}`,
        `The provider's last message: ${quoted(message)}. No money has moved${accountOf(hold)}: the value is ` +
          'back on the voucher.',
        ...failoverParagraph(hold.asked),
        "Where the message is about the merchant's account, an operator corrects that first: `npm run admin -- " +
          'merchant payout-account set --help`. Then the merchant claims again, and the owner gets a new code.',
      );

/** Where the payment goes, masked. */
const accountOf = ({ payoutAccount }: RedemptionHeld): string =>
  payoutAccount ? ` (to ${payoutAccount})` : '';

/** A redemption as support staff and the provider know it. */
export const describeRedemption = (hold: ShownRedemption): string =>
  `ETB ${hold.toMerchant} to ${hold.merchantName}, payment reference ${hold.paymentReference}` +
  `${atProvider(hold.asked)}; ` +
  `voucher ${hold.serialNumber}, fee ETB ${hold.serviceFee}, ${hold.platformReference}` +
  `${hold.owner ? `, owner ${hold.owner}` : ''}.`;
