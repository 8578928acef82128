import type { ShownRepair } from '../db/repairs/repair-lists.ts';
import type { VoucherDetail } from '../db/vouchers/voucher-detail.ts';
import { maskStored } from '../domain/phone.ts';
import { money } from '../portal/layout/money.ts';
import { time } from '../portal/layout/parts.ts';
import { type Html, html } from '../rendering/html.ts';
import { CHECK_PROVIDERS, last, type NextStep, nextOfOpenRepair, wordsOf } from './next-step.ts';
import {
  nextOfPaid,
  nextOfPaying,
  nextOfPayment,
  nextOfTakenBack,
} from './next-step-of-payment.ts';

/** What a support agent does next about a voucher at this moment. */
export function nextStepOfVoucher(
  voucher: VoucherDetail,
  repairs: readonly ShownRepair[],
  now: Date,
): NextStep {
  const takenBack = nextOfTakenBack(disputedOf(voucher) ?? last(voucher.redemptions));
  const onHold = voucher.status === 'REDEEM_PROCESSING' ? nextOfPaying(voucher) : takenBack;
  return (
    nextOfOpenRepair(repairs, onHold) ??
    takenBack ??
    nextOfCorrected(voucher, repairs) ??
    nextByState[voucher.status](voucher, now)
  );
}

/** The payment that keeps a voucher from being redeemed. */
const disputedOf = ({ status, redemptions }: VoucherDetail) =>
  status === 'ACTIVE' || status === 'REDEEM_INITIATED'
    ? redemptions.findLast(({ caseId, status: ended }) => caseId !== null && ended === 'VOIDED')
    : undefined;

function nextOfCorrected(
  voucher: VoucherDetail,
  repairs: readonly ShownRepair[],
): NextStep | undefined {
  const { ownerMsisdn, status } = voucher;
  return status === 'ACTIVE' && ownerMsisdn !== null && isCorrected(voucher, repairs)
    ? {
        happened: html`The number of the owner was corrected: it is ${maskStored(ownerMsisdn)} now.`,
        toDo: html`Compare it with the owner. Then ask the merchant to claim: the code goes to this number.`,
      }
    : undefined;
}

/** Whether the number was corrected after the last claim, if there was one. */
function isCorrected({ claims }: VoucherDetail, repairs: readonly ShownRepair[]): boolean {
  const done = repairs.find(({ kind, state }) => kind === 'correct-number' && state === 'DONE');
  const claim = last(claims);
  return done !== undefined && (!claim || done.changed_at > new Date(claim.at));
}

type Next = (voucher: VoucherDetail, now: Date) => NextStep;

const nextByState: Readonly<Record<VoucherDetail['status'], Next>> = {
  ACTIVE: nextOfActive,
  REDEEM_INITIATED: nextOfClaimed,
  REDEEM_PROCESSING: nextOfPaying,
  REDEEMED: ({ redemptions }) => nextOfPaid(last(redemptions)),
  EXPIRED: ({ returned }) => ({
    happened: html`It expired, and ${money(returned)} went back to the gift wallet of the partner.`,
    toDo: html`The owner asks the partner for another voucher.`,
  }),
  CANCELLED: ({ returned }) => ({
    happened: html`It was cancelled, and ${money(returned)} went back to the gift wallet of the partner.`,
    toDo: html`The owner asks the partner why, and for another voucher.`,
  }),
};

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
    (newest && nextOfPayment(newest, voucher)) ||
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
  const again = code?.isAgain && html` again, ${time(new Date(code.at))}`;
  if (code?.delivery === 'DELIVERED')
    return html`The code was ${again ? html`sent${again}, and ` : ''}delivered to the phone`;
  if (code?.delivery === 'NOT_DELIVERED')
    return html`The code was ${again ? html`sent${again}, and ` : ''}not delivered${code.deliveryReason && wordsOf(code.deliveryReason)}`;
  if (code?.status === 'SENT')
    return again
      ? html`The code was sent${again}: the SMS provider took it`
      : html`The SMS provider took the code`;
  // The claim goes on with the code that was sent before.
  if (again && (code?.status === 'REFUSED' || code?.status === 'CANCELLED'))
    return html`The code was not sent${again}${code.providerMessage && wordsOf(code.providerMessage)}`;
  return again
    ? html`The code is being sent again, or the SMS provider gave no answer`
    : html`The code is not sent yet, or the SMS provider gave no answer`;
}

/** A wrong number cannot be corrected while a code may have gone to it. */
function toDoAboutCode(code: Code): Html {
  const otherwise = html`If the number is wrong, cancel the voucher: the partner makes another.`;
  return code?.delivery === 'NOT_DELIVERED'
    ? html`Ask the owner to switch the phone on, then “Send the message again”. ${otherwise}`
    : html`Ask the owner to look among all messages. If it is not there, “Send the message again”. ${otherwise}`;
}
