import type { IncomingHttpHeaders } from 'node:http';
import { type Refusal, refuse } from '../domain/errors.js';
import { idempotencyKeyField } from './fields.js';

/** A partner's optional `Idempotency-Key` header (design 6). */
export function idempotencyKeyOf(
  headers: IncomingHttpHeaders,
): { readonly ok: true; readonly value: string | undefined } | Refusal {
  const header = headers['idempotency-key'];
  if (header === undefined) return { ok: true, value: undefined };
  const key = idempotencyKeyField.safeParse(header);
  if (key.success) return { ok: true, value: key.data };
  return refuse('request-invalid', {
    detail: `Idempotency-Key: ${key.error.issues[0]?.message ?? 'is not valid'}`,
  });
}
