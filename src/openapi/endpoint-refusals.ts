import {
  httpStatusOf,
  messageOf,
  type Operation,
  type Reason,
  remedyOf,
  type Surface,
  statusCodeOf,
} from '../domain/refusals.ts';
import { type Endpoint, scopeOf } from '../http/endpoint.ts';
import { guards } from '../http/pipeline.ts';

/** One reason for which an endpoint refuses, as its callers get it. */
export interface EndpointRefusal {
  readonly reason: Reason;
  readonly statusCode: number;
  readonly httpStatus: number;
  readonly message: string;
  /** The action of the caller, as a sentence without its full stop. */
  readonly remedy: string;
}

/** The reasons of every request. */
const EVERYWHERE: readonly Reason[] = ['unavailable', 'internal-error'];

/** The reasons of requests that are refused before their endpoint is known. */
const BEFORE_ENDPOINTS: readonly Reason[] = [
  'http-malformed',
  'request-too-slow',
  'expectation-unsupported',
  'headers-too-large',
  'route-not-found',
  'method-not-allowed',
];

/** All refusals of an endpoint on its surface. */
export const refusalsOf = (surface: Surface, endpoint: Endpoint): EndpointRefusal[] =>
  reasonsOf(endpoint).map((reason) => describe(surface, reason, endpoint.operation));

/** The refusals of a surface before any of its endpoints. */
export const refusalsBefore = (surface: Surface): EndpointRefusal[] =>
  BEFORE_ENDPOINTS.map((reason) => describe(surface, reason));

function describe(surface: Surface, reason: Reason, operation?: Operation): EndpointRefusal {
  const statusCode = statusCodeOf(reason, surface, operation);
  return {
    reason,
    statusCode,
    httpStatus: httpStatusOf(statusCode),
    message: messageOf(reason),
    remedy: remedyOf(reason),
  };
}

/** The reasons of the endpoint's guards, its own, and those of every endpoint. */
export function reasonsOf(endpoint: Endpoint): Reason[] {
  const ofGuards = guards
    .filter(({ ofSigned }) => !ofSigned || endpoint.access === 'signed')
    .flatMap((guard) => guard.reasons)
    .filter((reason) => canMeet(endpoint, reason));
  return [...new Set([...ofGuards, ...endpoint.reasons, ...EVERYWHERE])];
}

function canMeet(endpoint: Endpoint, reason: Reason): boolean {
  const { access, body, query, params, idempotency } = endpoint;
  switch (reason) {
    case 'token-invalid':
    case 'account-suspended':
    case 'address-not-registered':
      return access !== 'public';
    case 'scope-missing':
      return scopeOf(endpoint) !== undefined;
    case 'body-too-large':
    case 'media-type-unsupported':
      return body !== undefined;
    case 'request-invalid':
      return Boolean(body ?? query ?? params ?? idempotency);
    default:
      return true;
  }
}
