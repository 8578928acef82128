import type { HeadersObject } from 'openapi3-ts/oas31';
import { REASON_HEADER } from '../http/envelope.ts';

/** The response headers by name. */
export const headerComponents: HeadersObject = {
  'X-Request-Id': {
    description: 'Identifier of the request: name it in questions to support',
    schema: { type: 'string', format: 'uuid' },
    required: true,
  },
  RateLimit: {
    description:
      'Remaining requests of the rate limit, `r`, and the seconds until the window ends, `t` ' +
      '(draft-ietf-httpapi-ratelimit-headers)',
    schema: { type: 'string', examples: ['"company";r=119983;t=41'] },
  },
  'RateLimit-Policy': {
    description: 'The rate limit: requests `q` in a window of `w` seconds',
    schema: { type: 'string', examples: ['"company";q=120000;w=60'] },
  },
  'Retry-After': {
    description: 'Seconds to wait before the request is repeated',
    schema: { type: 'integer', minimum: 1, examples: [1] },
  },
  'Idempotent-Replayed': {
    description: 'The answer is a stored one, to the same request with the same idempotency key',
    schema: { type: 'string', const: 'true' },
  },
  [REASON_HEADER]: {
    description: 'The reason of the refusal: decide by it where several share a `statusCode`',
    schema: { $ref: '#/components/schemas/ErrorReason' },
    required: true,
  },
  Link: {
    description: 'Where the reason is explained (`rel="help"`)',
    schema: {
      type: 'string',
      examples: ['<https://api.example.com/docs/errors#partner-404-voucher-redeemed>; rel="help"'],
    },
  },
  'x-ignored-fields': {
    description:
      'Names of fields of the body, and of parameters, that the endpoint does not have: at most 20, each of at most 50 ' +
      'characters, other characters than letters, digits, `_`, `.` and `-` as `?`',
    schema: { type: 'string', examples: ['merchantID, lines.restricted'] },
  },
  ETag: {
    description: 'Version of the answer, for the header `If-None-Match` of the next request',
    schema: { type: 'string' },
  },
  'WWW-Authenticate': {
    description: 'How a request is authenticated (RFC 9110, 11.6.1)',
    schema: { type: 'string', const: 'Bearer' },
  },
  Allow: {
    description: 'The methods that the path answers',
    schema: { type: 'string', examples: ['POST'] },
  },
};

/** References to headers, for one response. */
export const headersOf = (...names: readonly string[]): HeadersObject =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** The headers of every response of an endpoint. The folder `src/http` sets all headers that are described here. */
export const COMMON_HEADERS = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy'] as const;
