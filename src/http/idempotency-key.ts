import type { IncomingHttpHeaders } from 'node:http';
import { type Refusal, refuse } from '../domain/refusals.ts';
import type { Endpoint } from './endpoint.ts';
import { idempotencyKeyField } from './fields/request-fields.ts';

type ReadKey = { readonly ok: true; readonly value: string | undefined } | Refusal;

/**
 * Reads the idempotency key of a request where its endpoint declares it (design 6): in a partner's
 * optional header `Idempotency-Key`, or in the field `idempotencyKey` of a merchant's body.
 */
export function readIdempotencyKey(
  { idempotency }: Endpoint,
  headers: IncomingHttpHeaders,
  body: unknown,
): ReadKey {
  if (idempotency === 'header') return readHeader(headers['idempotency-key']);
  if (idempotency === 'body')
    return { ok: true, value: (body as { readonly idempotencyKey: string }).idempotencyKey };
  return { ok: true, value: undefined };
}

function readHeader(header: string | string[] | undefined): ReadKey {
  if (header === undefined) return { ok: true, value: undefined };
  const key = idempotencyKeyField.safeParse(header);
  if (key.success) return { ok: true, value: key.data };
  return refuse('request-invalid', {
    detail: `Idempotency-Key: ${key.error.issues[0]?.message ?? 'is not valid'}`,
  });
}
