import { createHmac, timingSafeEqual } from 'node:crypto';

/** Largest difference between the time of a message and the clock. */
const TOLERANCE_SECONDS = 300;
const SECRET_PREFIX = 'whsec_';

/** An event, as `GET /events` lists it. New types may be added. */
export interface WebhookEvent {
  /** The same in every repetition: discard what you already have. */
  readonly id: string;
  readonly type: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** What it happened to, such as "voucher:17". */
  readonly subject: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The message is not ours, is old, or has no event. Answer it with 400. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

type Headers =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Checks the signature of a webhook (Standard Webhooks) and gives its event.
 *
 * @param headers those of the request, with names in lower case or as `Headers`
 * @param rawBody exactly the bytes that came; JSON that was parsed and written again has others
 * @param secret `whsec_…`, as the portal showed it
 * @throws {WebhookError} for a wrong signature, a message older than five minutes, and a body without an event
 * @throws {TypeError} for an empty secret
 */
export function verifyWebhook(
  headers: Headers,
  rawBody: string | Uint8Array,
  secret: string,
  now: Date = new Date(),
): WebhookEvent {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookError('webhook-timestamp is not a time');
  if (Math.abs(now.getTime() / 1_000 - Number(timestamp)) > TOLERANCE_SECONDS)
    throw new WebhookError('The message is older than five minutes, or a clock is wrong');
  const key = Buffer.from(secret.replace(SECRET_PREFIX, ''), 'base64');
  // Anybody can sign with an empty key.
  if (key.length === 0) throw new TypeError('secret must be that of the portal: whsec_…');
  const body = Buffer.from(rawBody);
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  // While a secret is rotated, there is a signature by either one.
  const signatures = headerOf(headers, 'webhook-signature').split(' ');
  if (!signatures.some((one) => isSignature(one, expected)))
    throw new WebhookError('The signature is not that of the body and the secret');
  return eventIn(body.toString('utf8'));
}

function eventIn(text: string): WebhookEvent {
  try {
    const event = JSON.parse(text);
    if (event?.id !== undefined) return event;
  } catch {
    // It is no JSON.
  }
  throw new WebhookError('The body is not an event');
}

function isSignature(text: string, expected: Buffer): boolean {
  const [version, value = ''] = text.split(',', 2);
  const given = Buffer.from(value, 'base64');
  return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
}

function headerOf(headers: Headers, name: string): string {
  const value =
    'get' in headers && typeof headers.get === 'function'
      ? headers.get(name)
      : (headers as Readonly<Record<string, unknown>>)[name];
  if (typeof value === 'string') return value;
  throw new WebhookError(`${name} is missing`);
}
