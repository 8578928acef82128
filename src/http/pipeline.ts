import type { ParsedUrlQuery } from 'node:querystring';
import type { RouterContext } from '@koa/router';
import type { Context } from 'koa';
import { soughtText } from '../domain/copied-text.ts';
import { type Reason, refuse, type Surface } from '../domain/refusals.ts';
import type { VoucherLookUp } from '../operations/redemptions.ts';
import { passStep } from '../runtime/process/failpoint.ts';
import { type Authenticated, authenticate } from './access/authentication.ts';
import { addressGroup, clientAddress } from './access/source-address.ts';
import { BODY_LIMIT_BYTES, readRawBody } from './body/json-body.ts';
import { readBody } from './body/read-body.ts';
import { ignoredFieldsHeader, refuseIssues, unknownFields, validate } from './body/validation.ts';
import type { CallRecorder } from './call-log.ts';
import { type Endpoint, readIdempotencyKey, scopeOf } from './endpoint.ts';
import { type KnownCaller, type RefusalReply, type Reply, refusalAnswer } from './envelope.ts';
import { type Quota, rateLimitHeaders, refuseTooMany } from './limits/rate-limits.ts';
import { isFilter } from './lists/list-filters.ts';
import type { Services } from './services.ts';
import { checkSignature, isFirstUse, type SignedRequest } from './signature/check-signature.ts';
import { writeRefusal, writeReply } from './write-answer.ts';

/** A request in progress, with the results of the guards. */
interface Call {
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

/** The parameters of a query that have a value, without what comes along with copied text: an empty one is absent. */
const presentParameters = (query: Readonly<ParsedUrlQuery>): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(query).flatMap(([name, sent = '']) => {
      const values = [sent]
        .flat()
        .map(soughtText)
        .filter((value) => value !== '');
      const [first, ...more] = values;
      return first === undefined ? [] : [[name, more.length === 0 ? first : values]];
    }),
  );

/** The parameters of a query that the endpoint does not have, and so ignores. */
const unknownParameters = ({ query, list }: Endpoint, sent: object): string[] =>
  (query ? unknownFields(query, sent) : Object.keys(sent)).filter(
    (name) => !list || !isFilter(name),
  );

/** The parameters of a path, without what comes along with copied text. */
const inPath = (params: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [name, soughtText(value)]));

/** The refusal of changes under the fence. Minutes or hours may pass, and frequent requests are not served sooner. */
export const underRecovery = refuse('unavailable', {
  detail: 'the service is being recovered and accepts no changes',
  retryAfterSeconds: 30,
});

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
      return isChange && services.fence.isFenced() ? underRecovery : undefined;
    },
  },
  {
    name: 'body',
    purpose: 'reads the bytes of the body up to the limit',
    reasons: ['body-too-large', 'media-type-unsupported'],
    async check(call) {
      const { endpoint, context } = call;
      if (endpoint.method !== 'GET')
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
      const sent = presentParameters(context.query);
      context.set(ignoredFieldsHeader([...read.unknown, ...unknownParameters(endpoint, sent)]));
      const body = read.result;
      const query = validate(endpoint.query, sent);
      const params = validate(endpoint.params, inPath(context.params));
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
    // The last guard: an invalid request leaves no trace, so the caller may correct it.
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

/** The reasons of a call that was not admitted. */
const accessReasons: ReadonlySet<Reason> = new Set([
  'too-many-requests',
  'api-key-invalid',
  'token-invalid',
  'account-suspended',
  'address-not-registered',
  'signature-invalid',
  'signed-request-reused',
]);

/** The reasons whose details the portal shows; such a detail never repeats what was sent. */
const explainedReasons: ReadonlySet<Reason> = new Set(['signature-invalid', 'request-invalid']);
const MAXIMUM_DETAIL = 1_000;

/** Records a request once: accepted, or refused with its reason. */
export function recordCall(
  calls: CallRecorder,
  context: Context,
  result: Reply | RefusalReply,
): void {
  const call: Call | undefined = context.state.call;
  if (!call) return;
  context.state.call = undefined;
  const { surface, endpoint, caller } = call;
  const shared = {
    at: new Date(),
    surface,
    method: context.method,
    route: context.state.log.route,
    sourceAddress: call.sourceAddress,
    apiKeyId: caller?.apiKeyId ?? null,
    requestId: context.state.log.requestId,
    detail:
      !result.ok && explainedReasons.has(result.reason)
        ? result.detail?.slice(0, MAXIMUM_DETAIL)
        : undefined,
  };
  if (!result.ok && accessReasons.has(result.reason))
    calls.refused({
      ...shared,
      company: caller?.company ?? null,
      keyPrefix: caller?.keyPrefix ?? null,
      reason: result.reason,
    });
  else if (caller?.company)
    calls.admitted({
      ...shared,
      company: caller.company,
      statusCode: result.ok
        ? 200
        : refusalAnswer(result, surface, endpoint.operation).envelope.statusCode,
    });
}

/** Passes a request through the guards to its handler, and writes the answer. */
export async function handleEndpoint(
  services: Services,
  {
    surface,
    audience = surface,
  }: { readonly surface: Surface; readonly audience?: Surface | 'other' },
  endpoint: Endpoint,
  context: RouterContext,
): Promise<void> {
  // Without this header any cache may keep a 404.
  context.set('Cache-Control', 'no-store');
  const route = context.routerPath ?? endpoint.path;
  Object.assign(context.state.log, { route, surface: audience });
  const sourceAddress = addressOf(services, context);
  const call: Call = { services, surface, endpoint, context, sourceAddress };
  context.state.call = call;
  const result = await answerCall(call);
  await passStep(services.failpoint, endpoint.operation, 'known');
  recordCall(services.calls, context, result);
  if (result.ok) writeReply(context, endpoint, result);
  else writeRefusal(context, services.settings.http.publicUrl, surface, result, endpoint);
  context.res.once('finish', () => {
    void passStep(services.failpoint, endpoint.operation, 'answered');
  });
}

async function answerCall(call: Call): Promise<Reply | RefusalReply> {
  const isSigned = call.endpoint.access === 'signed';
  for (const guard of guards) {
    if (guard.ofSigned && !isSigned) continue;
    const refusal = await guard.check(call);
    if (refusal) return refusal;
  }
  const { services, surface, endpoint, context, authenticated } = call;
  const company = authenticated?.company ?? { kind: surface, id: 0 };
  await passStep(services.failpoint, endpoint.operation, 'requested');
  const noteInLog: Services['noteInLog'] = (facts) => {
    Object.assign(context.state.log, facts);
  };
  const result = await endpoint.handle({
    services: { ...services, noteInLog },
    surface,
    company,
    scopes: authenticated?.scopes ?? new Set(),
    body: call.body,
    query: call.query,
    params: call.params,
    key: call.key,
    lookUpVoucher: endpoint.guessLimit
      ? services.guesses({ company, sourceAddress: call.sourceAddress })
      : lookUpNothing,
    headers: context.req.headers,
    prefersCsv: Boolean(endpoint.csv) && context.accepts(JSON_FORM, CSV_FORM) === CSV_FORM,
    rawBody: call.rawBody ?? Buffer.alloc(0),
    sourceAddress: call.sourceAddress,
    path: context.path,
  });
  // The handler of a public endpoint, such as log-in, identifies the caller.
  call.caller ??= result.caller;
  return result;
}

/** With their parameters: a media range that names one of them matches no type without it. */
const JSON_FORM = 'application/json; charset=utf-8';
const CSV_FORM = 'text/csv; charset=utf-8; header=present';

const lookUpNothing: VoucherLookUp = () => {
  throw new Error('An endpoint that finds vouchers by their codes must declare guessLimit');
};

/** The source address of a request; empty where the connection has no readable address. */
export function addressOf(services: Services, context: RouterContext): string {
  const forwarded = context.req.headers['x-forwarded-for'];
  return (
    clientAddress(
      context.req.socket.remoteAddress,
      Array.isArray(forwarded) ? forwarded.join(',') : forwarded,
      services.isTrustedProxy,
    ) ?? ''
  );
}
