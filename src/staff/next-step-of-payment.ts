import type { VoucherDetail } from '../db/vouchers/voucher-detail.ts';
import { formatMoney, parseMoney } from '../domain/money.ts';
import { money } from '../portal/layout/money.ts';
import { time } from '../portal/layout/parts.ts';
import { type Html, html } from '../rendering/html.ts';
import {
  askedSince,
  CHECK_PROVIDERS,
  last,
  linkToCase,
  type NextStep,
  wordsOf,
} from './next-step.ts';

type Redemption = VoucherDetail['redemptions'][number];

/** A payment that a provider changed later, or whose reversal has not ended. */
export function nextOfTakenBack(redemption: Redemption | undefined): NextStep | undefined {
  if (redemption === undefined) return undefined;
  const { caseId, reversal, status, provider } = redemption;
  if (caseId !== null && status !== 'HELD')
    return {
      happened: changeOf(redemption),
      toDo: html`Ask an operator to settle ${linkToCase(caseId)}.${
        status === 'VOIDED' && ' It is not redeemed again before that.'
      }`,
    };
  if (reversal?.status === 'NEEDS_ACTION')
    return { happened: html`The reversal is stuck.`, toDo: html`An operator asks the provider.` };
  if (reversal?.status === 'PENDING')
    return {
      happened: html`The payment is being taken back: the provider has not confirmed it yet. ${provider}
was asked ${time(new Date(reversal.requestedAt))}.`,
      toDo: html`Look again in a minute.`,
    };
  return nextOfSettled(redemption);
}

/** What a provider says now, against its first answer. */
function changeOf({ lateAt, takenBackAt, reversal, status, merchant }: Redemption): Html {
  if (lateAt !== null) return html`The provider paid the merchant after it had refused.`;
  if (takenBackAt !== null && reversal?.status !== 'SUCCESS')
    return html`The provider took the payment back by itself.`;
  return status === 'VOIDED'
    ? html`The payment was refused, and what a provider says of it since is not clear.`
    : html`${merchant} was paid, and a provider says something else of that since.`;
}

/** What a provider changed by itself, after an operator has settled it. */
function nextOfSettled({
  lateAt,
  takenBackAt,
  reversal,
  charged,
  merchant,
  providerReference,
}: Redemption): NextStep | undefined {
  if (lateAt !== null)
    return {
      happened: html`The provider paid ${merchant} after it had refused, and an operator has settled that${
        charged && ': the voucher pays for it'
      }.`,
      toDo: html`Give the merchant the provider’s reference <code>${providerReference}</code>.`,
    };
  return takenBackAt === null || reversal?.status === 'SUCCESS'
    ? undefined
    : {
        happened: html`The provider took the payment back by itself, and an operator has settled that${
          !charged && ': the value is on the voucher again'
        }.`,
        toDo: html`Read how the money moved.`,
      };
}

/** Nobody has said how the payment ended: who is asked, since when, and by what name. */
export function nextOfPaying({ redemptions }: VoucherDetail): NextStep {
  const payment = last(redemptions);
  if (payment === undefined)
    return { happened: html`It is being paid.`, toDo: html`Look again in a minute.` };
  const { reference, paymentReference, provider } = payment;
  return {
    happened: html`${provider} has had payment ${reference} of ${payoutOf(payment)} since ${time(askedSince(payment))},
our reference <code>${paymentReference}</code>, and has not said whether the merchant is paid. The money is on hold.`,
    toDo: html`Nobody pays again. Ask ${provider} about <code>${paymentReference}</code>. Then book its answer:`,
    first: 'settle-payment',
  };
}

/** What a merchant gets, and why that is less than the owner spent. */
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

/** The merchant was paid, or nobody knows more. */
export function nextOfPaid(redemption: Redemption | undefined): NextStep {
  if (redemption === undefined)
    return { happened: html`It is redeemed.`, toDo: html`Read what happened.` };
  if (redemption.reversal?.status === 'FAILED') return REVERSAL_REFUSED;
  const { merchant, settledAt, at, providerReference } = redemption;
  return {
    // When the provider paid is not known here, least of all where it was settled by hand.
    happened: html`${merchant} was paid ${payoutOf(redemption)}, booked ${time(new Date(settledAt ?? at))}.`,
    toDo: html`Give the merchant the provider’s reference <code>${providerReference}</code>. If it is the
wrong merchant, and it agrees:`,
    instead: ['reverse-redemption', 'resend-message'],
  };
}

/** The value is on the voucher after a payment, or a part of it. */
export function nextOfPayment(newest: Redemption, voucher: VoucherDetail): NextStep {
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

function nextOfRefusedPayment({ providerMessage, notDoneBy }: Redemption): NextStep {
  const words = providerMessage && wordsOf(providerMessage, notDoneBy);
  if (notDoneBy === 'service')
    return {
      happened: html`The payment was not sent${words}. Nothing was paid: the value is on the voucher.`,
      toDo: html`Ask the merchant to redeem again, with a new claim. ${CHECK_PROVIDERS}`,
    };
  return {
    happened: html`The payment was ${notDoneBy === 'staff' ? 'settled by hand as not made' : html`refused${words}`}. The
merchant was not paid: the value is on the voucher.`,
    toDo: html`Tell the merchant why. If the payout account is wrong, an operator corrects it. Then the
merchant claims again.`,
  };
}
