import type { RouterContext } from '@koa/router';
import type { ZodError, ZodType } from 'zod';
import { refuse, type Surface } from '../domain/errors.js';
import { passStep } from '../process/failpoint.js';
import { type Authenticated, authenticate } from './access/authentication.js';
import { addressGroup, clientAddress } from './access/source-address.js';
import { type CallUnderWay, recordCall } from './call-log/record-call.js';
import type { Endpoint } from './endpoint.js';
import { type RefusalReply, type Reply, refusalAnswer } from './envelope.js';
import { issueMessage } from './issue-messages.js';
import { parseJsonBody } from './json-body.js';
import { rateLimitHeaders, refuseTooMany } from './limits/rate-limits.js';
import { writeConditionally } from './lists/conditional-answer.js';
import { readRawBody } from './raw-body.js';
import type { Services } from './services.js';
import { checkSignature, isFirstUse } from './signature/signed-request.js';

/** Takes a request through access, signature and schema to its handler, and writes the answer. */
export async function handleEndpoint(
  services: Services,
  surface: Surface,
  endpoint: Endpoint,
  context: RouterContext,
): Promise<void> {
  // 404 may be kept by any cache that is not told otherwise.
  context.set('Cache-Control', 'no-store');
  Object.assign(context.state.log, { route: context.routerPath ?? endpoint.path, surface });
  const sourceAddress = addressOf(services, context);
  const call: CallUnderWay = { surface, endpoint, sourceAddress };
  context.state.call = call;
  const result = await runEndpoint(services, call, context);
  await passStep(services.failpoint, endpoint.operation, 'known');
  recordCall(services.calls, context, result);
  if (result.ok) writeReply(context, endpoint, result);
  else writeRefusal(context, surface, endpoint, result);
  context.res.once('finish', () => {
    void passStep(services.failpoint, endpoint.operation, 'answered');
  });
}

/** Lets a request in, or not: how often, and who asks. */
async function runEndpoint(
  services: Services,
  call: CallUnderWay,
  context: RouterContext,
): Promise<Reply | RefusalReply> {
  const { surface, endpoint, sourceAddress } = call;
  const { rateLimits } = services;
  const ofAddress = await rateLimits.spend('address', addressGroup(sourceAddress));
  context.set(rateLimitHeaders(ofAddress));
  if (!ofAddress.ok) return refuseTooMany(ofAddress);
  if (endpoint.access === 'public') {
    const result = await answerCaller(services, surface, endpoint, context, { sourceAddress });
    call.caller = result.caller;
    return result;
  }
  const { headers } = context.req;
  const caller = await authenticate(services, surface, { headers, sourceAddress });
  call.caller = caller.ok ? caller : caller.caller;
  if (!caller.ok) return caller;
  Object.assign(context.state.log, { companyId: caller.company.id });
  const ofCompany = await rateLimits.spend('company', `${surface} ${caller.company.id}`);
  context.set(rateLimitHeaders(ofCompany));
  return ofCompany.ok
    ? await answerCaller(services, surface, endpoint, context, { sourceAddress, caller })
    : refuseTooMany(ofCompany);
}

/** Takes what was let in through signature and schema to its handler. */
async function answerCaller(
  services: Services,
  surface: Surface,
  endpoint: Endpoint,
  context: RouterContext,
  { sourceAddress, caller }: { readonly sourceAddress: string; readonly caller?: Authenticated },
): Promise<Reply | RefusalReply> {
  const { headers } = context.req;
  const rawBody = endpoint.body
    ? await readRawBody(context.req, services.settings.bodyLimitBytes)
    : undefined;
  const signature =
    endpoint.access === 'signed' && caller && rawBody
      ? checkSignature(services, caller, headers['x-signature'], rawBody)
      : undefined;
  if (signature && !signature.ok) return signature;
  const body = readBody(endpoint, rawBody, headers['content-type']);
  if (!body.ok) return body;
  const query = validate(endpoint.query, { ...context.query });
  if (!query.ok) return query;
  const params = validate(endpoint.params, context.params);
  if (!params.ok) return params;
  // Only now: an invalid request is not remembered, so that it may be corrected (design 6).
  if (signature && !(await isFirstUse(services, endpoint, signature)))
    return refuse('signed-request-reused');

  await passStep(services.failpoint, endpoint.operation, 'requested');
  return endpoint.handle({
    services,
    surface,
    company: caller?.company ?? { kind: surface, id: 0 },
    body: body.value,
    query: query.value,
    params: params.value,
    headers,
    sourceAddress,
    path: context.path,
  });
}

/** The address that a request came from; empty where the connection has none that can be read. */
export function addressOf(services: Services, context: RouterContext): string {
  const forwarded = context.req.headers['x-forwarded-for'];
  return (
    clientAddress(
      context.req.socket.remoteAddress,
      Array.isArray(forwarded) ? forwarded.join(',') : forwarded,
      services.settings.isTrustedProxy,
    ) ?? ''
  );
}

type Validated = { readonly ok: true; readonly value: unknown } | RefusalReply;

function readBody(
  endpoint: Endpoint,
  rawBody: Buffer | undefined,
  contentType: string | undefined,
): Validated {
  if (!rawBody) return { ok: true, value: undefined };
  const json = parseJsonBody(rawBody, contentType);
  if (json.ok) {
    const lacking = endpoint.lacks?.(json.value);
    return lacking ? refuse(lacking) : validate(endpoint.body, json.value);
  }
  if (json.kind === 'unsupported-media-type') return refuse('media-type-unsupported');
  return refuse('request-invalid', { detail: json.message });
}

function validate(schema: ZodType | undefined, value: unknown): Validated {
  if (!schema) return { ok: true, value: undefined };
  const result = schema.safeParse(value, { error: issueMessage });
  if (result.success) return { ok: true, value: result.data };
  const issues = issuesOf(result.error);
  const detail = issues.map(({ path, message }) => `${path}: ${message}`).join('; ');
  return { ...refuse('request-invalid', { detail }), data: { issues } };
}

const MAXIMUM_ISSUES = 20;

/** Messages say what to send; the values themselves are never repeated. */
const issuesOf = (error: ZodError) =>
  error.issues
    .slice(0, MAXIMUM_ISSUES)
    .map(({ path, message }) => ({ path: path.join('.'), message }));

function writeReply(context: RouterContext, endpoint: Endpoint, reply: Reply): void {
  context.status = 200;
  context.state.statusCode = 200;
  if (reply.replayed) context.set('Idempotent-Replayed', 'true');
  const body = endpoint.bare
    ? reply.data
    : {
        success: true,
        message: reply.message ?? 'OK',
        statusCode: 200,
        data: reply.data,
        ...(reply.meta ? { meta: reply.meta } : {}),
        ...(reply.links ? { links: reply.links } : {}),
      };
  if (endpoint.isConditional) writeConditionally(context, JSON.stringify(body));
  else context.body = body;
}

function writeRefusal(
  context: RouterContext,
  surface: Surface,
  endpoint: Endpoint,
  refusal: RefusalReply,
): void {
  const { status, envelope } = refusalAnswer(refusal, surface, endpoint.operation);
  context.status = status;
  context.state.statusCode = envelope.statusCode;
  Object.assign(context.state.log, { reason: refusal.reason });
  if (refusal.replayed) context.set('Idempotent-Replayed', 'true');
  // "Not enough money" is answered with HTTP's 405, which must say what the path allows.
  if (status === 405) context.set('Allow', endpoint.method);
  if (refusal.retryAfterSeconds) context.set('Retry-After', String(refusal.retryAfterSeconds));
  context.body = envelope;
}
