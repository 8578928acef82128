import type { Company } from './voucher.ts';

interface EventTypeRow {
  /** What has happened, as a sentence in Markdown without its full stop. */
  readonly meaning: string;
  /** The companies that are told. */
  readonly owners: readonly Company['kind'][];
}

/**
 * Every type of event. Triggers of the database write them, and the database knows no
 * other type; a test compares both lists.
 */
export const eventTypes = {
  'voucher.generated': { meaning: 'A voucher was generated', owners: ['partner'] },
  'claim.started': {
    meaning: 'The redemption of a voucher was started: its owner is sent a verification code',
    owners: ['partner', 'merchant'],
  },
  'voucher.redeemed': {
    meaning: 'A voucher was redeemed, in whole or in part, and the merchant was paid',
    owners: ['partner', 'merchant'],
  },
  'redemption.refused': {
    meaning:
      'The mobile-money provider refused to pay the merchant; the value is back on the voucher',
    owners: ['partner', 'merchant'],
  },
  'redemption.reversed': {
    meaning:
      'A merchant reversed a redemption: the payment went back, and the value to the voucher, or to ' +
      'the gift wallet where the voucher had expired or was cancelled',
    owners: ['partner', 'merchant'],
  },
  'voucher.expired': {
    meaning: 'A voucher expired; its remaining value is back in the gift wallet',
    owners: ['partner'],
  },
  'voucher.cancelled': {
    meaning: 'A voucher was cancelled; its remaining value is back in the gift wallet',
    owners: ['partner'],
  },
  'topup.succeeded': { meaning: 'A top-up was delivered', owners: ['partner'] },
  'topup.failed': {
    meaning:
      'A top-up or its retry failed, or a reversed top-up was credited; nothing is charged, and it can be retried',
    owners: ['partner'],
  },
  'topup.late': {
    meaning:
      'The provider delivered an attempt after it had refused it; the top-up counts as delivered',
    owners: ['partner'],
  },
  'topup.reversed': {
    meaning: 'The provider took back what it had delivered; `topup.failed` tells the credit',
    owners: ['partner'],
  },
  'balance.low': {
    meaning: 'The balance of a wallet fell below the threshold that is set for it',
    owners: ['partner'],
  },
  'payout.completed': {
    meaning: 'The mobile-money provider paid a merchant for a redemption',
    owners: ['merchant'],
  },
} as const satisfies Record<string, EventTypeRow>;

export type EventType = keyof typeof eventTypes;

/** The types that companies of a kind are told. */
export const eventTypesOf = (kind: Company['kind']): EventType[] =>
  (Object.keys(eventTypes) as EventType[]).filter((type) =>
    (eventTypes[type].owners as readonly string[]).includes(kind),
  );

/** The id of an event: it stays, and tells the order. */
export const eventId = (number: number): string => `evt_${number}`;
