import { createHmac, randomBytes } from 'node:crypto';
import type { SecretBox } from './secret-box.ts';

/** Standard Webhooks asks for 24 to 64 bytes. */
const SECRET_BYTES = 32;
const PREFIX = 'whsec_';

const contextOf = (endpointId: number): string => `webhook ${endpointId} secret`;

/** A new secret as receivers store it: `whsec_` and base64. */
export const randomWebhookSecret = (): string =>
  PREFIX + randomBytes(SECRET_BYTES).toString('base64');

/** Encrypts a secret for the row of its endpoint. */
export const sealWebhookSecret = (box: SecretBox, endpointId: number, secret: string): string =>
  box.seal(secret, contextOf(endpointId));

/** @throws where the ciphertext belongs to another endpoint, or its key is not configured */
export const openWebhookSecret = (box: SecretBox, endpointId: number, ciphertext: string): string =>
  box.open(ciphertext, contextOf(endpointId));

/** The signed parts of a message. */
export interface WebhookMessage {
  /** The same in every repetition, so that receivers can discard duplicates. */
  readonly id: string;
  readonly timestampSeconds: number;
  readonly body: string;
}

/**
 * The headers of Standard Webhooks (symmetric, version 1). While a rotation overlaps, there is a
 * signature by each secret, separated by spaces.
 */
export function webhookHeaders(
  { id, timestampSeconds, body }: WebhookMessage,
  secrets: readonly string[],
): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    const signed = `${id}.${timestampSeconds}.${body}`;
    return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signatures.join(' '),
  };
}
