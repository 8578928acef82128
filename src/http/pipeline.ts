import type { ParsedUrlQuery } from 'node:querystring';
import type { RouterContext } from '@koa/router';
import { type Reason, refuse, type Surface } from '../domain/refusals.ts';
import { type Authenticated, authenticate } from './access/authentication.ts';
import { addressGroup } from './access/source-address.ts';
import { BODY_LIMIT_BYTES, readRawBody } from './body/raw-body.ts';
import { readBody } from './body/read-body.ts';
import { ignoredFieldsHeader } from './body/unknown-fields.ts';
import { refuseIssues, validate } from './body/validation.ts';
import { type Endpoint, scopeOf } from './endpoint.ts';
import type { KnownCaller, RefusalReply } from './envelope.ts';
import { readIdempotencyKey } from './idempotency-key.ts';
import { type Quota, rateLimitHeaders, refuseTooMany } from './limits/rate-limits.ts';
import type { Services } from './services.ts';
import { checkSignature, isFirstUse, type SignedRequest } from './signature/check-signature.ts';

/** A request in progress, with the results of the guards. */
export interface Call {
  readonly services: Services;
  readonly surface: Surface;
  readonly endpoint: Endpoint;
  readonly context: RouterContext;
  /** Normalised; empty where the connection has no readable address. */
  readonly sourceAddress: string;
  /** The caller as far as it is known, also of a refused request. */
  caller?: KnownCaller | undefined;
  authenticated?: Authenticated;
  rawBody?: Buffer;
  signature?: SignedRequest;
  body?: unknown;
  query?: unknown;
  params?: unknown;
  key?: string | undefined;
}

type Verdict = RefusalReply | undefined;

/** One guard: it refuses the request, or stores its result in the call. */
export interface Guard {
  readonly name: string;
  /** The purpose of the guard, for the documentation. */
  readonly purpose: string;
  /** The reasons of its refusals. */
  readonly reasons: readonly Reason[];
  /** Applies to signed endpoints only. */
  readonly ofSigned?: true;
  check(call: Call): Verdict | Promise<Verdict>;
}

const quota = (context: RouterContext, spent: Quota): Verdict => {
  context.set(rateLimitHeaders(spent));
  return spent.ok ? undefined : refuseTooMany(spent);
};

/** The parameters of a query that have a value: an empty one is absent. */
const presentParameters = (query: Readonly<ParsedUrlQuery>): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(query).flatMap(([name, sent = '']) => {
      const values = [sent].flat().filter((value) => value !== '');
      const [first, ...more] = values;
      return first === undefined ? [] : [[name, more.length === 0 ? first : values]];
    }),
  );

/** Minutes or hours may pass, and whoever asks often is not sooner served. */
const maintenance = {
  detail: 'the service is being recovered and accepts no changes',
  retryAfterSeconds: 30,
};

/**
 * The guards in their order: the first refusal ends the request. Cheap checks come first; nothing
 * is stored before the whole request is valid.
 */
export const guards: readonly Guard[] = [
  {
    name: 'address rate limit',
    purpose: 'limits the requests of a source address',
    reasons: ['too-many-requests'],
    check: async ({ services, context, sourceAddress }) =>
      quota(context, await services.rateLimits.spend('address', addressGroup(sourceAddress))),
  },
  {
    name: 'authentication',
    purpose: 'verifies the access token, the company and its key, and the registered address',
    reasons: ['token-invalid', 'account-suspended', 'address-not-registered'],
    async check(call) {
      const { services, surface, endpoint, context, sourceAddress } = call;
      if (endpoint.access === 'public') return undefined;
      const request = { headers: context.req.headers, sourceAddress };
      const caller = await authenticate(services, surface, request);
      call.caller = caller.ok ? caller : caller.caller;
      if (!caller.ok) return caller;
      call.authenticated = caller;
      Object.assign(context.state.log, { companyId: caller.company.id });
      return undefined;
    },
  },
  {
    name: 'company rate limit',
    purpose: 'limits the requests of a company',
    reasons: ['too-many-requests'],
    async check({ services, surface, context, authenticated }) {
      if (!authenticated) return undefined;
      const name = `${surface} ${authenticated.company.id}`;
      return quota(context, await services.rateLimits.spend('company', name));
    },
  },
  {
    name: 'scope',
    purpose: 'compares the scopes of the API key with that of the endpoint',
    reasons: ['scope-missing'],
    check({ endpoint, authenticated }) {
      const scope = scopeOf(endpoint);
      if (!authenticated || scope === undefined || authenticated.scopes.has(scope))
        return undefined;
      return refuse('scope-missing', { detail: scope });
    },
  },
  {
    name: 'maintenance',
    purpose: 'refuses changes while a restored database is being recovered',
    // Every endpoint may answer `unavailable`.
    reasons: [],
    check({ services, endpoint }) {
      const isChange = endpoint.method !== 'GET' && !endpoint.changesNothing;
      if (!isChange || !services.fence.isFenced()) return undefined;
      return refuse('unavailable', maintenance);
    },
  },
  {
    name: 'body',
    purpose: 'reads the bytes of the body up to the limit',
    reasons: ['body-too-large', 'media-type-unsupported'],
    async check(call) {
      const { endpoint, context } = call;
      if (endpoint.body)
        call.rawBody = await readRawBody(context.req, endpoint.bodyLimitBytes ?? BODY_LIMIT_BYTES);
      return undefined;
    },
  },
  {
    name: 'signature',
    purpose: 'verifies x-signature over these bytes',
    reasons: ['signature-invalid'],
    ofSigned: true,
    async check(call) {
      const { services, context, authenticated, rawBody } = call;
      if (!authenticated || !rawBody) return undefined;
      const header = context.req.headers['x-signature'];
      const signature = await checkSignature(services, authenticated, header, rawBody);
      if (!signature.ok) return signature;
      call.signature = signature;
      return undefined;
    },
  },
  {
    name: 'schema',
    purpose: 'parses and validates body, query, path and Idempotency-Key',
    reasons: ['request-invalid', 'media-type-unsupported'],
    async check(call) {
      const { endpoint, context, rawBody } = call;
      const read = await readBody(endpoint, rawBody, context.req.headers['content-type']);
      if ('reason' in read) return read;
      context.set(ignoredFieldsHeader(read.unknown));
      const body = read.result;
      const query = validate(endpoint.query, presentParameters(context.query));
      const params = validate(endpoint.params, context.params);
      const key = readIdempotencyKey(endpoint, context.req, body);
      const parts = { body, query, params, key };
      const issues = Object.values(parts).flatMap((part) => (part.ok ? [] : part.issues));
      // Alone it needs no list of fields: its message is that of the specification (7.2).
      if (issues.length === 1 && read.lacking) return refuse(read.lacking);
      if (issues.length > 0) return refuseIssues(issues, read.lacking);
      for (const [name, part] of Object.entries(parts))
        if (part.ok) Object.assign(call, { [name]: part.value });
      return undefined;
    },
  },
  {
    // The last guard: an invalid request leaves no trace, so the caller may correct it (design 6).
    name: 'first use',
    purpose: 'binds signed bytes to their endpoint and its path, and a message to its bytes, once',
    reasons: ['signed-request-reused'],
    ofSigned: true,
    async check({ services, endpoint, params, signature }) {
      if (!signature || (await isFirstUse(services, { endpoint, params }, signature)))
        return undefined;
      return refuse('signed-request-reused');
    },
  },
];
