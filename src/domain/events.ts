import type { Company } from './vouchers/voucher.ts';

interface EventTypeRow {
  /** The event as a sentence in Markdown without its full stop. */
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
      'A merchant reversed a redemption, and the payment went back. The value is on the voucher again. It is in ' +
      "the gift wallet where the voucher had expired or was cancelled, or its owner's number was erased",
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

/** Longest address of a webhook. */
export const WEBHOOK_URL_LENGTH = 1_000;

/** Type of the event that a company sends itself as a test. It is not part of the event log. */
export const TEST_EVENT_TYPE = 'webhook.test';

export type ReadWebhookUrl =
  | { readonly ok: true; readonly url: string }
  | { readonly ok: false; readonly problem: string };

const refused = (problem: string): ReadWebhookUrl => ({ ok: false, problem });

/** Ports below it belong to services of other protocols. */
const FIRST_FREE_PORT = 1_024;

/**
 * Reads the address of a webhook; `url` is its canonical form, in which a name is ASCII. The
 * addresses that the name resolves to are checked at each connection. `allowsPrivate` is for
 * development: it admits http, addresses in digits, and names without a dot.
 */
export function readWebhookUrl(
  given: string,
  { allowsPrivate }: { readonly allowsPrivate: boolean },
): ReadWebhookUrl {
  const text = given.trim();
  if (text.length > WEBHOOK_URL_LENGTH) return refused('is longer than 1,000 characters');
  if (!URL.canParse(text)) return refused('must be an address such as https://shop.example/hooks');
  const url = new URL(text);
  const isPlain = url.protocol === 'http:' && allowsPrivate;
  if (url.protocol !== 'https:' && !isPlain)
    return refused(`must begin with https://${allowsPrivate ? ' or http://' : ''}`);
  if (url.username !== '' || url.password !== '')
    return refused('must not contain a user name or a password: check the signature instead');
  if (url.hash !== '') return refused('must not contain a fragment (#…)');
  // The port is empty where it is the protocol's own.
  if (url.port !== '' && Number(url.port) < FIRST_FREE_PORT)
    return refused('must use the port 443, or one from 1024');
  if (!allowsPrivate && !isPublicName(url.hostname))
    return refused('must name a public host, such as shop.example');
  return url.href.length > WEBHOOK_URL_LENGTH
    ? refused('is longer than 1,000 characters')
    : { ok: true, url: url.href };
}

/** `URL` has already written every form of an IPv4 address as four decimal numbers. */
function isPublicName(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '');
  if (name.startsWith('[') || /^[\d.]+$/.test(name) || !name.includes('.')) return false;
  return !/(^|\.)(localhost|local|internal|home\.arpa)$/.test(name);
}

/**
 * An address for logs and the Temporal UI: the parts after the host may hold a secret of the receiver.
 */
export const webhookHost = (url: string): string => new URL(url).host;

/** Pauses between attempts, in seconds. */
export interface RetryPauses {
  readonly webhookFirstPauseSeconds: number;
  readonly webhookLongestPauseSeconds: number;
}

/** Each pause is this many times as long as the pause before. */
const PAUSE_GROWTH = 4;

/** The pause after a failed attempt, by the attempts before it. */
export const pauseAfter = (
  attemptsBefore: number,
  { webhookFirstPauseSeconds, webhookLongestPauseSeconds }: RetryPauses,
): number =>
  Math.min(webhookFirstPauseSeconds * PAUSE_GROWTH ** attemptsBefore, webhookLongestPauseSeconds);

/** A delivery with its event; a test event has neither number nor data. */
interface DeliveredEvent {
  readonly id: number;
  readonly createdAt: Date;
  readonly type: string;
  readonly subject: string;
  readonly eventNumber: number | null;
  readonly eventCreatedAt: Date | null;
  readonly data: unknown;
}

/** The same in every repetition, so that receivers can discard duplicates. */
export const webhookMessageId = ({ id, eventNumber }: DeliveredEvent): string =>
  eventNumber === null ? `test_${id}` : eventId(eventNumber);

/** The body of a delivery: the event as `GET /events` lists it. */
export const webhookBody = (delivery: DeliveredEvent) => ({
  id: webhookMessageId(delivery),
  type: delivery.type,
  createdAt: (delivery.eventCreatedAt ?? delivery.createdAt).toISOString(),
  subject: delivery.subject,
  data: delivery.data ?? { message: 'This is a test.' },
});
