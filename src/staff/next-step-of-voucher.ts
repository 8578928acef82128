import type { ShownRepair } from '../db/repairs/repair-lists.js';
import type { VoucherDetail } from '../db/vouchers/voucher-detail.js';
import { money } from '../portal/layout/money.js';
import { time } from '../portal/layout/parts.js';
import { type Html, html } from '../rendering/html.js';
import { CHECK_PROVIDERS, last, type NextStep, nextOfOpenRepair, wordsOf } from './next-step.js';

type Redemption = VoucherDetail['redemptions'][number];

/** What a support agent does next about a voucher at this moment. */
export function nextStepOfVoucher(
  voucher: VoucherDetail,
  repairs: readonly ShownRepair[],
  now: Date,
): NextStep {
  const open = nextOfOpenRepair(repairs) ?? nextOfTakenBack(last(voucher.redemptions));
  if (open !== undefined) return open;
  if (voucher.status === 'ACTIVE' && isCorrected(voucher, repairs))
    return {
      happened: html`The number of the owner was corrected.`,
      toDo: html`Ask the merchant to claim: the code goes to the right number.`,
    };
  return nextByState[voucher.status](voucher, now);
}

/** Whether the number was corrected after the last claim, if there was one. */
function isCorrected({ claims }: VoucherDetail, repairs: readonly ShownRepair[]): boolean {
  const done = repairs.find(({ kind, state }) => kind === 'correct-number' && state === 'DONE');
  const claim = last(claims);
  return done !== undefined && (!claim || done.changed_at > new Date(claim.at));
}

/** A payment that a provider changed later, or whose reversal has not ended. */
function nextOfTakenBack(redemption: Redemption | undefined): NextStep | undefined {
  if (redemption === undefined) return undefined;
  const { contradictedAt, reversedAt, reversal } = redemption;
  if (contradictedAt !== null)
    return {
      happened: html`The provider paid the merchant after it had refused.`,
      toDo: html`Ask an operator to settle the late success.`,
    };
  if (reversal?.status === 'NEEDS_ACTION')
    return { happened: html`The reversal is stuck.`, toDo: html`An operator asks the provider.` };
  if (reversedAt !== null && reversal?.status !== 'SUCCESS')
    return {
      happened: html`The provider took the payment back by itself.`,
      toDo: html`Ask an operator to settle the reversal.`,
    };
  if (reversal?.status === 'PENDING')
    return {
      happened: html`The payment is being taken back: the provider has not confirmed it yet.`,
      toDo: html`Look again in a minute.`,
    };
  return undefined;
}

type Next = (voucher: VoucherDetail, now: Date) => NextStep;

const nextByState: Readonly<Record<VoucherDetail['status'], Next>> = {
  ACTIVE: nextOfActive,
  REDEEM_INITIATED: nextOfClaimed,
  REDEEM_PROCESSING: ({ redemptions }) => ({
    happened: html`The provider has not said whether the merchant is paid. The money is on hold.`,
    toDo: html`Nobody pays again. Ask ${last(redemptions)?.provider ?? 'the provider'} about
<code>${last(redemptions)?.paymentReference}</code>. Then book its answer:`,
    first: 'settle-payment',
  }),
  REDEEMED: ({ redemptions }) => nextOfPaid(last(redemptions)),
  EXPIRED: () => ({
    happened: html`It expired, and its value went back to the partner.`,
    toDo: html`The owner asks the partner for another voucher.`,
  }),
  CANCELLED: () => ({
    happened: html`It was cancelled, and its value went back to the partner.`,
    toDo: html`The owner asks the partner why, and for another voucher.`,
  }),
};

const REVERSAL_REFUSED: NextStep = {
  happened: html`The provider did not take the payment back, so it stands.`,
  toDo: html`Ask the merchant to pay the owner back.`,
};

function nextOfPaid(redemption: Redemption | undefined): NextStep {
  if (redemption === undefined)
    return { happened: html`It is redeemed.`, toDo: html`Read what happened.` };
  if (redemption.reversal?.status === 'FAILED') return REVERSAL_REFUSED;
  const { merchant, toMerchant, settledAt, at, providerReference } = redemption;
  return {
    happened: html`${merchant} was paid ${money(toMerchant)}, ${time(new Date(settledAt ?? at))}.`,
    toDo: html`Give the merchant the provider’s reference <code>${providerReference}</code>. If it is the
wrong merchant, and it agrees:`,
    instead: ['reverse-redemption', 'resend-message'],
  };
}

/** The newest code of a voucher. */
const codeOf = ({ messages }: VoucherDetail) =>
  last(messages.filter(({ kind }) => kind === 'VERIFICATION_CODE'));

function nextOfActive(voucher: VoucherDetail): NextStep {
  const { redemptions, claims } = voucher;
  const [newest, claim] = [last(redemptions), last(claims)];
  // What came last decides: a claim, or the payment of an earlier one.
  const isClaimNewer = claim && (!newest || new Date(claim.at) > new Date(newest.at));
  return (
    (isClaimNewer && nextOfLastClaim(voucher, claim)) ||
    (newest && nextOfPayment(newest)) ||
    nextOfUnclaimed(voucher)
  );
}

function nextOfLastClaim(
  voucher: VoucherDetail,
  { status, expiresAt }: VoucherDetail['claims'][number],
): NextStep | undefined {
  const code = codeOf(voucher);
  if (code?.status === 'REFUSED')
    return {
      happened: html`The code could not be sent${code.providerMessage && wordsOf(code.providerMessage)}.`,
      toDo: html`Compare the number with the owner. If it is right, the merchant claims again. If it is wrong:`,
      instead: ['correct-number', 'cancel-voucher'],
    };
  if (code?.status === 'CANCELLED' && status === 'CANCELLED')
    return {
      happened: html`The code could not be sent${code.providerMessage && wordsOf(code.providerMessage)}.`,
      toDo: html`The number is not to blame: the merchant claims again. ${CHECK_PROVIDERS}`,
    };
  return status === 'EXPIRED' ? nextOfEndedClaim(expiresAt) : undefined;
}

/** The value is on the voucher after a payment, or a part of it. */
function nextOfPayment(newest: Redemption): NextStep {
  if (newest.status === 'VOIDED') return nextOfRefusedPayment(newest);
  if (newest.reversal?.status === 'FAILED') return REVERSAL_REFUSED;
  if (newest.reversal?.status === 'SUCCESS')
    return {
      happened: html`The payment was taken back, and its value is on the voucher again.`,
      toDo: html`The owner redeems it at the right merchant, which claims: that sends a new code.`,
    };
  return {
    ...nextOfPaid(newest),
    happened: html`A part was redeemed: ${newest.merchant} was paid ${money(newest.toMerchant)}. The rest
is on the voucher.`,
  };
}

function nextOfUnclaimed({ ownerMsisdn, claims }: VoucherDetail): NextStep {
  if (ownerMsisdn === null)
    return {
      happened: html`Nothing is wrong: it has not been redeemed.`,
      toDo: html`It belongs to nobody: a merchant redeems it by its code alone.`,
    };
  return {
    happened:
      claims.length === 0
        ? html`Nothing is wrong: the merchant has not claimed it.`
        : html`Nothing is wrong: no claim is open.`,
    toDo: html`Compare the number with the owner. If it is right, the merchant claims: that sends the code. If
it is wrong:`,
    instead: claims.length === 0 ? ['correct-number'] : ['correct-number', 'cancel-voucher'],
  };
}

function nextOfRefusedPayment({ providerMessage, notDoneBy }: Redemption): NextStep {
  const words = providerMessage && wordsOf(providerMessage, notDoneBy);
  if (notDoneBy === 'service')
    return {
      happened: html`The payment was not sent${words}. Nothing was paid.`,
      toDo: html`Ask the merchant to redeem again, with a new claim. ${CHECK_PROVIDERS}`,
    };
  return {
    happened: html`The payment was ${notDoneBy === 'staff' ? 'not made' : 'refused'}${words}. Nothing was charged.`,
    toDo: html`Tell the merchant why. If the payout account is wrong, an operator corrects it. Then the
merchant claims again.`,
  };
}

/** Nothing can be sent for a claim whose time is over, even where it still keeps its voucher. */
const nextOfEndedClaim = (at: string | undefined): NextStep => ({
  happened: html`The claim ran out before the code was entered${at && html`, ${time(new Date(at))}`}.`,
  toDo: html`Ask the merchant to claim again: that sends a new code. If the owner’s number is wrong:`,
  instead: ['cancel-voucher'],
});

function nextOfClaimed(voucher: VoucherDetail, now: Date): NextStep {
  const claim = voucher.claims.findLast(({ status }) => status === 'OPEN');
  const expiresAt = claim && new Date(claim.expiresAt);
  if (expiresAt && expiresAt <= now) return nextOfEndedClaim(claim.expiresAt);
  return {
    happened: html`${stateOfCode(codeOf(voucher))}.${expiresAt && html` The claim is open until ${time(expiresAt)}.`}`,
    toDo: toDoAboutCode(codeOf(voucher)),
    first: 'resend-message',
    instead: ['extend-claim', 'cancel-voucher'],
  };
}

type Code = ReturnType<typeof codeOf>;

function stateOfCode(code: Code): Html {
  if (code?.delivery === 'DELIVERED') return html`The code was delivered to the phone`;
  if (code?.delivery === 'NOT_DELIVERED')
    return html`The code was not delivered${code.deliveryReason && wordsOf(code.deliveryReason)}`;
  return code?.status === 'SENT'
    ? html`The SMS provider took the code`
    : html`The code is not sent yet, or the SMS provider gave no answer`;
}

/** A wrong number cannot be corrected while a code may have gone to it. */
function toDoAboutCode(code: Code): Html {
  const otherwise = html`If the number is wrong, cancel the voucher: the partner makes another.`;
  return code?.delivery === 'NOT_DELIVERED'
    ? html`Ask the owner to switch the phone on, then “Send the message again”. ${otherwise}`
    : html`Ask the owner to look among all messages. If it is not there, “Send the message again”. ${otherwise}`;
}
