import {
  generateBulkId,
  generateVoucherId,
  redeemVoucherWithoutClaimId,
  reverseRedemptionId,
} from '../../../workflows/workflow-ids.ts';
import { firstDone } from '../../db/positions/placements.ts';
import type { VoucherDetail } from '../../db/vouchers/vouchers.ts';
import { formatMoney, parseMoney } from '../../domain/money.ts';
import { maskStored } from '../../domain/phone.ts';
import { quoted } from '../../domain/refusals.ts';
import { type Html, html, phrase } from '../../rendering/html.ts';
import { type Happening, happening, money } from './parts.ts';

type Claim = VoucherDetail['claims'][number];
type Redemption = VoucherDetail['redemptions'][number];
type Message = VoucherDetail['messages'][number];

/** The history of a voucher in sentences: for its partner, or for staff with the name of the partner. */
export const happeningsOf = (voucher: VoucherDetail, partner?: string): Happening[] => [
  happening(
    voucher.createdAt,
    html`Generated for ${voucher.merchantName}, worth ${money(voucher.amount)}`,
    workflowOfGeneration(voucher),
  ),
  ...voucher.claims.map((claim) => ofClaim(voucher, claim)),
  ...voucher.messages.filter(isDue(voucher)).flatMap((message) => ofMessage(voucher, message)),
  ...voucher.redemptions.flatMap((redemption) => ofRedemption(voucher, redemption, partner)),
  ...ofEnd(voucher),
];

/** A voucher of a bulk order has none of its own. */
const workflowOfGeneration = ({ bulkOrder, operationId }: VoucherDetail): string =>
  bulkOrder === null
    ? generateVoucherId(operationId)
    : generateBulkId(bulkOrder.id, bulkOrder.operationId);

/** The confirmation of a payment that is under way is not sent before its end. */
const isDue =
  ({ redemptions }: VoucherDetail) =>
  ({ redemptionId, status }: Message): boolean =>
    status !== 'QUEUED' || redemptions.find(({ id }) => id === redemptionId)?.status !== 'HELD';

/** The workflow of a claim; without one, the workflow that redeems the voucher. */
export function workflowOfClaim(
  { claims, operationId }: VoucherDetail,
  claimId: string | null,
): string {
  const claim = claims.find(({ id }) => id === claimId);
  return claim ? claim.workflowId : redeemVoucherWithoutClaimId(operationId);
}

const claimEnds: Readonly<Record<Claim['status'], string>> = {
  OPEN: 'It is waiting for the owner’s code.',
  SUPERSEDED: 'A newer claim replaced it.',
  EXPIRED: 'It expired before a code was entered.',
  CANCELLED: 'It was abandoned.',
  REDEEMED: 'It was redeemed.',
  REFUSED: 'It ended without a payment.',
};

const ofClaim = (
  { redemptions }: VoucherDetail,
  { at, company, amount, status, ...names }: Claim,
): Happening => {
  const isPaying = redemptions.some((one) => one.claimId === names.id && one.status === 'HELD');
  return happening(
    at,
    html`${company} claimed ${amount === null ? phrase('the whole balance') : money(amount)}.
${phrase(isPaying ? 'Its code was entered.' : claimEnds[status])}`,
    names.workflowId,
  );
};

export const messageKinds: Readonly<Record<Message['kind'], string>> = {
  VERIFICATION_CODE: 'The code',
  REDEMPTION_CONFIRMATION: 'The confirmation',
  EXPIRY_REMINDER: 'The reminder of its expiry',
  REVERSAL_NOTICE: 'The notice of a reversal',
};

const messageEnds: Readonly<Record<Message['status'], string>> = {
  QUEUED: 'is about to be sent',
  SENDING: 'is being sent',
  SENT: 'was taken by the SMS provider',
  REFUSED: 'could not be sent: the SMS provider refused it',
  UNKNOWN: 'may have been sent: the SMS provider gave no result',
  CANCELLED: 'was not sent',
};

function ofMessage(
  voucher: VoucherDetail,
  { at, kind, msisdn, status, claimId, redemptionId, ...reported }: Message,
): Happening[] {
  const workflowId = workflowOfMessage(voucher, { claimId, redemptionId });
  const happened = (when: string, what: Html): Happening =>
    happening(
      when,
      html`${phrase(messageKinds[kind])} for ${maskStored(msisdn)} ${what}.`,
      workflowId,
    );
  const { delivery, deliveryAt, deliveryReason } = reported;
  const sent = happened(at, phrase(messageEnds[status]));
  if (delivery === null || deliveryAt === null) return [sent];
  if (delivery === 'DELIVERED') return [sent, happened(deliveryAt, phrase('was delivered'))];
  const reason = deliveryReason && html`: <span lang="en">${deliveryReason}</span>`;
  return [sent, happened(deliveryAt, html`${phrase('was not delivered')}${reason}`)];
}

/** A reminder belongs to no claim. */
export function workflowOfMessage(
  voucher: VoucherDetail,
  { claimId, redemptionId }: Pick<Message, 'claimId' | 'redemptionId'>,
): string | undefined {
  if (claimId !== null) return workflowOfClaim(voucher, claimId);
  const redemption = voucher.redemptions.find(({ id }) => id === redemptionId);
  return redemption && workflowOfClaim(voucher, redemption.claimId);
}

function ofRedemption(
  voucher: VoucherDetail,
  redemption: Redemption,
  partner: string | undefined,
): Happening[] {
  const workflowId = workflowOfClaim(voucher, redemption.claimId);
  const { settledAt, lateAt, takenBackAt, reversal, merchant } = redemption;
  // A reversal that the merchant asked for tells its own end.
  const isTakenBack = takenBackAt !== null && reversal?.status !== 'SUCCESS';
  const toMerchant = money(redemption.toMerchant);
  return [
    happening(
      redemption.at,
      html`Redemption <code>${redemption.reference}</code>: ${toMerchant} for ${merchant}, and a
service fee of ${money(redemption.serviceFee)}.`,
      workflowId,
    ),
    ...(settledAt === null ? [] : [happening(settledAt, endOf(redemption), workflowId)]),
    ...(lateAt === null ? [] : [happening(lateAt, paidLater(merchant, partner))]),
    ...ofReversal(redemption),
    ...(isTakenBack ? [happening(takenBackAt, reversedLater(merchant, partner))] : []),
  ];
}

const paidLater = (merchant: string, partner: string | undefined): Html =>
  partner === undefined
    ? html`The provider reported later that it had paid ${merchant}. “How the money
moved” shows whether you were charged.`
    : html`The provider reported later that it had paid ${merchant}. “How the money
moved” shows whether ${partner} was charged.`;

const reversedLater = (merchant: string, partner: string | undefined): Html =>
  partner === undefined
    ? html`The provider reversed the payment to ${merchant}. “How the money moved”
shows whether the money was returned to you.`
    : html`The provider reversed the payment to ${merchant}. “How the money moved”
shows whether the money was returned to ${partner}.`;

/** A reversal that the merchant asked for, and its end. */
function ofReversal({ id, reversal, reference, merchant, ...paid }: Redemption): Happening[] {
  if (reversal === null) return [];
  const workflowId = reverseRedemptionId(id, reversal.operationId);
  const asked = happening(
    reversal.requestedAt,
    html`${reversal.isRepair ? phrase('Support') : merchant} asked to reverse redemption <code>${reference}</code>.${
      reversal.settledAt === null && html` The provider has not confirmed it yet.`
    }`,
    workflowId,
  );
  if (reversal.settledAt === null) return [asked];
  const amount = money(formatMoney(parseMoney(paid.toMerchant) + parseMoney(paid.serviceFee)));
  return [
    asked,
    happening(
      reversal.settledAt,
      reversal.status === 'FAILED'
        ? html`The provider refused the reversal${
            reversal.providerMessage &&
            html`: <span lang="en">${quoted(reversal.providerMessage)}</span>`
          }. The payment stands.`
        : html`The payment was reversed: ${amount} ${
            reversal.creditedTo === 'gift'
              ? phrase('was returned to the gift wallet')
              : phrase('is on the voucher again')
          }.`,
      workflowId,
    ),
  ];
}

const endOf = ({ status, merchant, toMerchant, placements, ...provider }: Redemption): Html =>
  status === 'POSTED'
    ? html`${merchant} was paid ${money(toMerchant)}, the provider’s reference is
<code>${firstDone(placements)?.providerReference}</code>.`
    : endOfUnpaid(provider);

function endOfUnpaid({
  providerMessage,
  notDoneBy,
}: Pick<Redemption, 'providerMessage' | 'notDoneBy'>): Html {
  // Its message is for staff: it names their reference and their repair.
  if (notDoneBy === 'staff')
    return html`Support settled the payment as not made. The money was returned to the voucher.`;
  const words = providerMessage && html`: <span lang="en">${quoted(providerMessage)}</span>`;
  return notDoneBy === 'service'
    ? html`The payment was not sent${words}. Nothing was paid.`
    : html`The payment was refused${words}. Nothing was charged.`;
}

const ofEnd = ({ status, endedAt, returned }: VoucherDetail): Happening[] =>
  endedAt === null
    ? []
    : [
        {
          at: endedAt,
          what: html`${phrase(status === 'EXPIRED' ? 'Expired' : 'Cancelled')}: ${money(returned)} was returned to
the gift wallet.`,
        },
      ];
