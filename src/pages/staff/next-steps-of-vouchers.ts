import type { Case } from '../../db/positions/cases.ts';
import type { ShownRepair } from '../../db/repairs/repair-lists.ts';
import type { VoucherDetail } from '../../db/vouchers/vouchers.ts';
import { formatMoney, parseMoney } from '../../domain/money.ts';
import { maskStored } from '../../domain/phone.ts';
import { type SettledCase, whoToTell } from '../../domain/positions/case-texts.ts';
import { providerName, takesBack } from '../../domain/providers.ts';
import { mayStillComeByItself } from '../../domain/staff.ts';
import { type Html, html } from '../../rendering/html.ts';
import { money, time, unbroken } from '../layout/parts.ts';
import {
  askAbout,
  askedSince,
  CHECK_PROVIDERS,
  last,
  linkToCase,
  type NextStep,
  nextOfOpenRepair,
  openBecause,
  otherAmountOf,
  settledCaseOf,
  WAIT,
} from './next-steps.ts';
import { termsPath, wordsOf } from './repair-parts.ts';

type Redemption = VoucherDetail['redemptions'][number];

/** The facts besides a voucher and its repairs that its next step depends on. */
interface KnownOfVoucher {
  readonly closedCases: readonly Case[];
  /** What stands in suspense in its open case, in a sentence. */
  readonly openDifference: string | undefined;
  readonly now: Date;
}

/** A payment that a provider changed later, or whose reversal has not ended. */
function nextOfTakenBack(
  redemption: Redemption | undefined,
  { closedCases, openDifference }: KnownOfVoucher,
): NextStep | undefined {
  if (redemption === undefined) return undefined;
  const { caseId, reversal, status } = redemption;
  // Before a case of it, which its end may settle.
  if (reversal?.status === 'NEEDS_ACTION') return nextOfUnknownReversal(redemption, reversal);
  if (caseId !== null && status !== 'HELD')
    return {
      happened: openDifference ? html`${unbroken(openDifference)}` : changeOfPayment(redemption),
      toDo: html`An operator settles ${linkToCase(caseId)}.${
        status === 'VOIDED' && ' It is not redeemed again before that.'
      }`,
    };
  if (reversal?.status === 'PENDING')
    return {
      happened: html`The payment is being taken back: the provider has not confirmed it yet. ${providerName(reverserOf(redemption))}
was asked ${time(new Date(reversal.requestedAt))}.`,
      toDo: html`Look again in a minute.`,
    };
  return nextOfSettled(redemption, settledCaseOf(closedCases, redemption.paymentReference));
}

/** The provider of the newest reversal, which stays where it was placed, even where another one pays later. */
const reverserOf = ({ placements, provider }: Redemption): string =>
  placements.findLast(({ kind }) => kind === 'reversal')?.provider ?? provider;

/** The provider does not say how a reversal ended, or has other content under its reference. */
function nextOfUnknownReversal(
  redemption: Redemption,
  { requestedAt, reference }: NonNullable<Redemption['reversal']>,
): NextStep {
  const { merchant, toMerchant } = redemption;
  const provider = reverserOf(redemption);
  const name = providerName(provider);
  return {
    happened: html`${name} was asked ${time(new Date(requestedAt))} to take ${money(toMerchant)} back from ${merchant},
our reference <code>${reference}</code>, and has not confirmed it.`,
    toDo: html`Ask ${name} whether it took this payment back, and quote <code>${reference}</code>. Then book the answer:`,
    asked: [provider],
    first: 'settle-payment',
  };
}

/** A provider has news that changes no amount. */
function changeOfPayment({ status, merchant }: Redemption): Html {
  return status === 'VOIDED'
    ? html`The payment was refused, and what a provider says of it since is not clear.`
    : html`${merchant} was paid, and a provider says something else of that since.`;
}

/** A change by a provider after an operator has settled the payment. */
function nextOfSettled(
  { lateAt, takenBackAt, reversal, charged, merchant, providerReference }: Redemption,
  settled: SettledCase | undefined,
): NextStep | undefined {
  if (lateAt !== null)
    return {
      happened: html`The provider paid ${merchant} after it had refused, and an operator has settled that${
        charged && ': the voucher pays for it'
      }.`,
      toDo: settled
        ? html`${unbroken(whoToTell(settled, providerReference))}`
        : html`Give the merchant the provider’s reference <code>${providerReference}</code>.`,
    };
  return takenBackAt === null || reversal?.status === 'SUCCESS'
    ? undefined
    : {
        happened: html`The provider took the payment back by itself, and an operator has settled that${
          !charged && ': the value is on the voucher again'
        }.`,
        toDo: html`${settled ? unbroken(whoToTell(settled)) : `Tell ${merchant} that the provider took it back.`}${
          !charged && ' The owner can redeem again.'
        }`,
      };
}

/**
 * The end of the payment is unknown: the provider that is asked, since when, and by which
 * reference.
 */
function nextOfPaying({ redemptions }: VoucherDetail, now: Date): NextStep {
  const payment = last(redemptions);
  if (payment === undefined)
    return { happened: html`It is being paid.`, toDo: html`Look again in a minute.` };
  const { reference, paymentReference } = payment;
  const provider = providerName(payment.provider);
  const since = askedSince(payment);
  const happened = html`${provider} has had payment ${reference} of ${payoutOf(payment)} since ${time(since)},
our reference <code>${paymentReference}</code>, and has not confirmed it${openBecause(payment)}. The money is on hold.`;
  if (mayStillComeByItself(since, now))
    return { happened, toDo: WAIT, instead: ['settle-payment'] };
  const { toDo, asked } = askAbout(payment.placements, paymentReference);
  return { happened, toDo: html`Nobody pays again. ${toDo}`, asked, first: 'settle-payment' };
}

/** The amount for a merchant, and why it is less than the owner spent. */
function payoutOf({ toMerchant, serviceFee }: Redemption): Html {
  const fee = parseMoney(serviceFee);
  const spent = formatMoney(parseMoney(toMerchant) + fee);
  return html`${money(toMerchant)}${
    fee > 0n && html` (${money(spent)} less the service fee of ${money(serviceFee)})`
  }`;
}

const REVERSAL_REFUSED: NextStep = {
  happened: html`The provider did not take the payment back, so it stands.`,
  toDo: html`Ask the merchant to pay the owner back.`,
};

/** The merchant was paid, or the end is unknown. */
function nextOfPaid(redemption: Redemption | undefined): NextStep {
  if (redemption === undefined)
    return { happened: html`It is redeemed.`, toDo: html`Read what happened.` };
  if (redemption.reversal?.status === 'FAILED') return REVERSAL_REFUSED;
  const { merchant, settledAt, at, provider, providerReference } = redemption;
  const canReverse = takesBack(provider);
  return {
    // When the provider paid is not known here, least of all where it was settled by hand.
    happened: html`${merchant} was paid ${payoutOf(redemption)}, booked ${time(new Date(settledAt ?? at))}.`,
    toDo: html`Give the merchant the provider’s reference <code>${providerReference}</code>. If it is the
wrong merchant, ${canReverse ? 'and it agrees:' : 'ask it to pay the owner back.'}`,
    instead: canReverse ? ['reverse-redemption', 'resend-message'] : ['resend-message'],
  };
}

/** The value is on the voucher after a payment, or a part of it. */
function nextOfPayment(newest: Redemption, voucher: VoucherDetail): NextStep {
  const { remaining } = voucher;
  if (newest.status === 'VOIDED') return nextOfRefusedPayment(newest);
  if (newest.reversal?.status === 'FAILED') return REVERSAL_REFUSED;
  if (newest.reversal?.status === 'SUCCESS')
    return {
      happened: html`The payment was taken back, and its value is on the voucher again, which has ${money(remaining)} now.`,
      ...afterReversal(voucher),
    };
  return {
    ...nextOfPaid(newest),
    happened: html`A part was redeemed: ${newest.merchant} was paid ${payoutOf(newest)}. The rest,
${money(remaining)}, is on the voucher.`,
  };
}

/** Where an owner redeems a voucher whose payment was taken back: some merchants cannot be the right one. */
const afterReversal = ({
  isRestricted,
  merchantName,
}: VoucherDetail): Pick<NextStep, 'toDo' | 'instead'> =>
  isRestricted
    ? {
        toDo: html`It can be redeemed only at ${merchantName}. If that is the wrong merchant, cancel it: the partner
makes another.`,
        instead: ['cancel-voucher'],
      }
    : {
        toDo: html`The owner redeems it at the right merchant, which claims: that sends a new code.`,
      };

function nextOfRefusedPayment({
  providerMessage,
  notDoneBy,
  provider,
  merchantId,
  merchant,
  paymentReference,
}: Redemption): NextStep {
  const words = providerMessage && wordsOf(providerMessage, notDoneBy);
  if (notDoneBy === 'service')
    return {
      happened: html`The payment was not sent${words}. Nothing was paid: the value is on the voucher.`,
      toDo: html`Ask the merchant to redeem again, with a new claim. ${CHECK_PROVIDERS}`,
    };
  const name = providerName(provider);
  return {
    happened: html`${
      notDoneBy === 'staff'
        ? 'The payment was settled by hand as not made'
        : html`${name} refused the payment${words || ', and gave no reason'}`
    }. ${merchant} was not paid: the value is on the voucher.`,
    toDo: html`Tell ${merchant} why. If its <a href="${termsPath(merchantId)}">payout account</a> is wrong, an operator
corrects it. Then it claims again. If
${name} refuses that, too, ask it, and quote <code>${paymentReference}</code>.`,
    asked: [provider],
  };
}

/** What a support agent does next about a voucher at this moment. */
export function nextStepOfVoucher(
  voucher: VoucherDetail,
  repairs: readonly ShownRepair[],
  known: KnownOfVoucher,
): NextStep {
  const { now } = known;
  const { redemptions } = voucher;
  const takenBack = nextOfTakenBack(
    redemptions.findLast(({ reversal }) => reversal?.status === 'NEEDS_ACTION') ??
      blockingPaymentOf(voucher) ??
      last(redemptions),
    known,
  );
  const onHold = voucher.status === 'REDEEM_PROCESSING' ? nextOfPaying(voucher, now) : takenBack;
  return (
    nextOfOpenRepair(repairs, onHold) ??
    takenBack ??
    nextOfCorrected(voucher, repairs) ??
    nextOfLastSettled(voucher, known) ??
    nextByState[voucher.status](voucher, now)
  );
}

/** The case of the last payment is settled: another amount, a second payment, or a change that is put right. */
function nextOfLastSettled(
  voucher: VoucherDetail,
  { closedCases, now }: KnownOfVoucher,
): NextStep | undefined {
  const { status, redemptions, remaining } = voucher;
  const payment = last(redemptions);
  if (!payment || payment.reversal || !(status === 'REDEEMED' || status === 'ACTIVE'))
    return undefined;
  const settled = settledCaseOf(closedCases, payment.paymentReference);
  const words = settled && otherAmountOf(settled, payment.placements, payment.toMerchant);
  return (
    settled && {
      happened: words
        ? html`${unbroken(words)}${status === 'ACTIVE' && html` The voucher has ${money(remaining)}.`}`
        : nextByState[status](voucher, now).happened,
      toDo: html`${unbroken(whoToTell(settled, payment.providerReference))}`,
    }
  );
}

/** The payment that keeps a voucher from being redeemed. */
const blockingPaymentOf = ({ status, redemptions }: VoucherDetail) =>
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

type NextOfVoucher = (voucher: VoucherDetail, now: Date) => NextStep;

const nextByState: Readonly<Record<VoucherDetail['status'], NextOfVoucher>> = {
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

function nextOfActive(voucher: VoucherDetail, now: Date): NextStep {
  if (new Date(voucher.expiresAt) <= now)
    return {
      happened: html`It expired ${time(new Date(voucher.expiresAt))}. Its value goes back to the partner within minutes.`,
      toDo: html`The owner asks the partner for another voucher.`,
    };
  const { redemptions, claims } = voucher;
  const [newest, claim] = [last(redemptions), last(claims)];
  // The newest of both decides: a claim, or the payment of an earlier claim.
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
  return status === 'EXPIRED' ? nextOfEndedClaim(voucher, expiresAt) : undefined;
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
const nextOfEndedClaim = (
  { merchantName, isRestricted, ownerMsisdn }: VoucherDetail,
  at: string,
): NextStep => ({
  happened: html`The claim ran out before the code was entered, ${time(new Date(at))}. It is over: its code, and its
message sent again, would help nobody.`,
  toDo: html`Ask the merchant to claim again: that sends a new code. ${
    isRestricted ? `Only ${merchantName} can claim.` : 'Any merchant can claim.'
  } If the owner’s number ${ownerMsisdn && maskStored(ownerMsisdn)} is wrong:`,
  instead: ['cancel-voucher'],
});

function nextOfClaimed(voucher: VoucherDetail, now: Date): NextStep {
  const claim = voucher.claims.findLast(({ status }) => status === 'OPEN');
  const expiresAt = claim && new Date(claim.expiresAt);
  if (expiresAt && expiresAt <= now) return nextOfEndedClaim(voucher, claim.expiresAt);
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
