import type { IncomingMessage } from 'node:http';
import { type Validated, validate } from './body/validation.ts';
import type { Endpoint } from './endpoint.ts';
import { idempotencyKeyField } from './fields/request-fields.ts';

const HEADER = 'Idempotency-Key';

/**
 * Reads the idempotency key of a request where its endpoint declares it (design 6): in a partner's
 * optional header, or in the field `idempotencyKey` of a merchant's body.
 */
export function readIdempotencyKey(
  { idempotency }: Endpoint,
  { headersDistinct }: Pick<IncomingMessage, 'headersDistinct'>,
  body: Validated,
): Validated {
  if (idempotency === 'header') return readHeader(headersDistinct[HEADER.toLowerCase()]);
  const { idempotencyKey } = Object(idempotency === 'body' && body.ok && body.value);
  return { ok: true, value: idempotencyKey };
}

/** Node.js joins the lines of a header with commas, and a comma may be part of a key. */
function readHeader(lines: readonly string[] = []): Validated {
  const [line] = lines;
  if (line === undefined) return { ok: true, value: undefined };
  const key = validate(idempotencyKeyField, line);
  const messages = key.ok ? [] : key.issues.map(({ message }) => message);
  if (lines.length > 1) messages.push('must be sent once');
  if (messages.length === 0) return key;
  return { ok: false, issues: messages.map((message) => ({ path: HEADER, message })) };
}
