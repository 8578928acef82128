import type { VoucherDetail } from '../db/vouchers/voucher-detail.js';
import { maskMsisdn } from '../domain/phone.js';
import { type Html, html } from '../process/html.js';
import type { Happening } from './layout/facts.js';
import { money } from './layout/money.js';

type Claim = VoucherDetail['claims'][number];
type Redemption = VoucherDetail['redemptions'][number];
type Message = VoucherDetail['messages'][number];

/** What happened to a voucher, in words. */
export const happeningsOf = (voucher: VoucherDetail): Happening[] => [
  {
    at: voucher.createdAt,
    what: html`Generated for ${voucher.merchantName}, worth ${money(voucher.amount)}`,
  },
  ...voucher.claims.map(ofClaim),
  ...voucher.messages.map(ofMessage),
  ...voucher.redemptions.flatMap(ofRedemption),
  ...ofEnd(voucher),
];

const claimEnds: Readonly<Record<Claim['status'], string>> = {
  OPEN: 'It waits for the owner’s code.',
  SUPERSEDED: 'A newer claim took its place.',
  EXPIRED: 'It ran out before a code was given.',
  CANCELLED: 'It was given up.',
  REDEEMED: 'It was redeemed.',
  REFUSED: 'It ended without a payment.',
};

const ofClaim = ({ at, company, amount, status }: Claim): Happening => ({
  at: new Date(at),
  what: html`${company} claimed ${amount === null ? 'the whole balance' : money(amount)}.
${claimEnds[status]}`,
});

const messageKinds: Readonly<Record<Message['kind'], string>> = {
  VERIFICATION_CODE: 'The code',
  REDEMPTION_CONFIRMATION: 'The confirmation',
};

const messageEnds: Readonly<Record<Message['status'], string>> = {
  QUEUED: 'is about to be sent',
  SENDING: 'is being sent',
  SENT: 'was sent by SMS',
  REFUSED: 'could not be sent by SMS: the SMS provider refused it',
  UNKNOWN: 'may have been sent by SMS: the SMS provider did not say',
  CANCELLED: 'was not sent',
};

const ofMessage = ({ at, kind, msisdn, status }: Message): Happening => ({
  at: new Date(at),
  what: html`${messageKinds[kind]} for ${maskMsisdn(msisdn)} ${messageEnds[status]}.`,
});

function ofRedemption(redemption: Redemption): Happening[] {
  const { settledAt, contradictedAt, reversedAt, merchant } = redemption;
  const toMerchant = money(redemption.toMerchant);
  const begun: Happening = {
    at: new Date(redemption.at),
    what: html`Redemption <code>${redemption.reference}</code>: ${toMerchant} for ${merchant}, and a
service fee of ${money(redemption.serviceFee)}.`,
  };
  return [
    begun,
    ...(settledAt === null ? [] : [{ at: new Date(settledAt), what: endOf(redemption) }]),
    ...(contradictedAt === null
      ? []
      : [
          {
            at: new Date(contradictedAt),
            what: html`The provider said that ${merchant} had been paid all the same. How the money
moved says whether you were charged for it.`,
          },
        ]),
    ...(reversedAt === null
      ? []
      : [
          {
            at: new Date(reversedAt),
            what: html`The provider took the payment to ${merchant} back. How the money moved says
whether you have got it.`,
          },
        ]),
  ];
}

const endOf = ({ status, merchant, toMerchant, ...provider }: Redemption): Html =>
  status === 'POSTED'
    ? html`${merchant} was paid ${money(toMerchant)}, the provider’s reference is
<code>${provider.providerReference}</code>.`
    : html`The payment was refused${provider.providerMessage && html`: ${provider.providerMessage}`}.
Nothing was charged.`;

const ofEnd = ({ status, endedAt, returned }: VoucherDetail): Happening[] =>
  endedAt === null
    ? []
    : [
        {
          at: endedAt,
          what: html`${status === 'EXPIRED' ? 'Expired' : 'Cancelled'}: ${money(returned)} went back to
the gift wallet.`,
        },
      ];
