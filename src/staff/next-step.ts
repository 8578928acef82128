import type { ShownRepair } from '../db/repairs/repair-lists.js';
import type { TopupDetail } from '../db/topups/topup-detail.js';
import type { VoucherDetail } from '../db/vouchers/voucher-detail.js';
import { titleOf } from './pages/repairs/repair-parts.js';

/** Names of repairs stand in “quotes”, as their forms have them. */

const last = <One>(ones: readonly One[]): One | undefined => ones.at(-1);

/** What to do about a repair that is asked for and has not ended; undefined where there is none. */
function nextOfOpenRepair(repairs: readonly ShownRepair[]): string | undefined {
  const open = repairs.find(({ result }) => result === null);
  if (open === undefined) return undefined;
  const name = `Repair ${open.id}, “${titleOf(open)}”,`;
  return open.state === 'ASKED'
    ? `${name} waits for another person, who confirms it under “Repairs”.`
    : `${name} is under way: look again in a minute.`;
}

/** What a support agent does next about a voucher, in one or two sentences. */
export function nextStepOfVoucher(voucher: VoucherDetail, repairs: readonly ShownRepair[]): string {
  const open = nextOfOpenRepair(repairs);
  if (open !== undefined) return open;
  const redemption = last(voucher.redemptions);
  if (redemption?.contradictedAt != null)
    return 'The provider paid the merchant after it had refused: an operator settles the late success.';
  if (redemption?.reversal?.status === 'NEEDS_ACTION')
    return 'The reversal is stuck: an operator asks the provider.';
  if (redemption?.reversedAt != null && redemption.reversal?.status !== 'SUCCESS')
    return 'The provider took the payment back by itself: an operator settles the reversal.';
  if (redemption?.reversal?.status === 'PENDING')
    return 'The payment is being taken back: the provider has not confirmed it yet. Look again in a minute.';
  const isCorrected = voucher.claims.length === 0 && repairs.some(isDoneCorrection);
  if (voucher.status === 'ACTIVE' && isCorrected)
    return 'The number of the owner was corrected: the merchant claims, and the code goes to the right number.';
  return nextByState[voucher.status](voucher);
}

const isDoneCorrection = ({ kind, state }: ShownRepair): boolean =>
  kind === 'correct-number' && state === 'DONE';

const REVERSAL_REFUSED =
  'The provider did not take the payment back, so it stands: ask the merchant to pay the owner back.';

const nextByState: Readonly<Record<VoucherDetail['status'], (voucher: VoucherDetail) => string>> = {
  ACTIVE: nextOfActive,
  REDEEM_INITIATED: nextOfClaimed,
  REDEEM_PROCESSING: () =>
    'The provider has not said yet whether the merchant is paid, and the money is on hold. The service ' +
    'asks again by itself. If the merchant has proof of the payment, or after a day: “Settle an unknown ' +
    'payment” with the provider’s reference. Do not let the owner pay again.',
  REDEEMED: ({ redemptions }) =>
    last(redemptions)?.reversal?.status === 'FAILED' ? REVERSAL_REFUSED : NEXT_OF_REDEEMED,
  EXPIRED: () =>
    'Its value went back to the partner: the owner asks the partner for another voucher.',
  CANCELLED: () =>
    'Its value went back to the partner: the owner asks the partner why, and for another voucher.',
};

const NEXT_OF_REDEEMED =
  'The merchant was paid: give the merchant the provider’s reference. Redeemed at the wrong merchant, or ' +
  'by mistake: “Reverse a redemption”. Confirmation lost: “Send the message again”.';

function nextOfActive({ redemptions, claims, messages }: VoucherDetail): string {
  const code = last(messages.filter(({ kind }) => kind === 'VERIFICATION_CODE'));
  if (last(redemptions)?.status === 'VOIDED')
    return (
      'The payment was refused and nothing was charged: the value is on the voucher. Tell the merchant what ' +
      'the provider says, correct the payout account if it is wrong, then redeem again.'
    );
  if (code?.status === 'REFUSED')
    return (
      'The code could not be sent: check the owner’s number with the owner. If it is right, the merchant ' +
      'claims again; if not, it can be corrected before the first claim.'
    );
  const newest = last(redemptions);
  if (newest?.reversal?.status === 'SUCCESS')
    return (
      'The payment was taken back, and its value is on the voucher again: it can be claimed again, and the ' +
      'owner then gets a new code.'
    );
  if (newest?.reversal?.status === 'FAILED') return REVERSAL_REFUSED;
  if (newest?.status === 'POSTED')
    return 'A part was redeemed and paid; the rest can be redeemed until it expires.';
  if (last(claims)?.status === 'EXPIRED')
    return 'The claim ran out before the code was entered: the merchant claims again for a new code.';
  return 'Nothing is wrong: the merchant can claim it, and the owner then gets a code by SMS.';
}

function nextOfClaimed({ messages }: VoucherDetail): string {
  const code = last(messages.filter(({ kind }) => kind === 'VERIFICATION_CODE'));
  if (code?.delivery === 'NOT_DELIVERED')
    return (
      `The code was not delivered${code.deliveryReason === null ? '' : ` (${code.deliveryReason})`}: ask the ` +
      'owner to switch the phone on, then “Send the message again”. If the number is wrong, the partner ' +
      'cancels the voucher and generates another.'
    );
  if (code?.delivery === 'DELIVERED')
    return 'The code was delivered: ask the owner to look for it, and to tell the merchant. More time: “Extend a claim”.';
  return code?.status === 'SENT'
    ? 'The SMS provider took the code: ask the owner to look for it, and to tell the merchant. If it does ' +
        'not come within a minute: “Send the message again”. More time: “Extend a claim”.'
    : 'The code is not sent yet, or the SMS provider gave no answer. If it does not come within a minute: ' +
        '“Send the message again”.';
}

/** What a support agent does next about a top-up. */
export function nextStepOfTopup(topup: TopupDetail, repairs: readonly ShownRepair[]): string {
  const open = nextOfOpenRepair(repairs);
  if (open !== undefined) return open;
  if (topup.late_delivery && !topup.late_delivery.is_settled)
    return 'It failed at first and was delivered later: an operator settles the late success. Do not retry it.';
  if (topup.reversal && !topup.reversal.is_credited)
    return 'The provider took it back after the delivery: an operator settles the reversal.';
  return nextByTopup[topup.status];
}

const nextByTopup: Readonly<Record<TopupDetail['status'], string>> = {
  PENDING: 'It is about to be sent: look again in a minute.',
  PROCESSING: 'It was sent; the provider’s answer is awaited. Look again in a minute.',
  UNKNOWN:
    'The provider has not said whether it was delivered, and the money is on hold. The service asks again ' +
    'by itself. Ask the customer whether the airtime came; after a day, or with proof: “Settle an unknown ' +
    'top-up” with the provider’s reference. Do not send another one meanwhile.',
  SUCCESS:
    'It was delivered: give the customer the provider’s reference, and check the number with the customer.',
  FAILED:
    'Nothing was charged. Check the number with the customer and read what the provider says, then “Retry a ' +
    'top-up”, to the same number or to another.',
};
