import { createServer } from 'node:http';
import Koa, { type Context } from 'koa';
import type { Logger } from 'pino';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import getRawBody from 'raw-body';
import { z } from 'zod';
import type { SecretKey } from '../../crypto/secret-keys.ts';
import { describeError } from '../../process/describe-error.ts';
import { answerHealth } from '../../process/health.ts';
import { listen } from '../../process/listen.ts';
import { createPayloadCodec } from '../payload-codec.ts';
import { type CodecOperator, operatorOf, type PasswordOperator } from './codec-operators.ts';
import { IssuerUnavailableError, type TokenCheck } from './codec-tokens.ts';
import { fromJson, toJson } from './json-payloads.ts';
import { createSignInLimit, type SourceOf } from './sign-in-limit.ts';

const MAXIMUM_BODY = '8mb';
/** A page of the UI sends a few dozen calls. */
const CALLS_PER_MINUTE = 1_200;
const LOOPBACK = '127.0.0.1';
const TOKEN_CHALLENGE = 'Bearer';
const PASSWORD_CHALLENGE = 'Basic realm="Temporal", charset="UTF-8"';

const bodySchema = z.object({
  payloads: z.array(
    z.object({
      metadata: z.record(z.string(), z.base64()).optional(),
      data: z.base64().optional(),
    }),
  ),
});

/** Any user of this machine, where the server listens only on its loopback address. */
const localOperator: CodecOperator = { name: 'local' };

export interface CodecServerOptions {
  readonly host?: string;
  readonly port: number;
  readonly uiOrigins: readonly string[];
  readonly payloadKeys: readonly SecretKey[];
  readonly operators?: readonly PasswordOperator[];
  /** Accepts tokens of an identity provider. */
  readonly checkToken?: TokenCheck | undefined;
  readonly callsPerMinute?: number;
  /** Of one address; wrong credentials beyond them are not even checked. */
  readonly refusalsPerMinute?: number;
  /** By default the address of the connection. */
  readonly sourceOf?: SourceOf;
  /** Records who decoded how many payloads of which workflow, and never their contents. */
  readonly logger?: Logger;
}

/**
 * Decrypts payloads for the Temporal UI in a browser, and answers only pages of the UI's own
 * origin. It encrypts nothing: what people could encrypt, workflows would have to accept. With
 * operators or an identity provider it requires a password or a token; without either it is for this
 * machine.
 * `GET /authenticate` authenticates operators for the proxy in front of the UI, and `GET /health/ready`
 * answers the container's health check.
 */
export async function startCodecServer(
  options: CodecServerOptions,
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const { host = LOOPBACK } = options;
  if (!needsSignIn(options) && host !== LOOPBACK)
    throw new RangeError('A codec server that others can reach needs operators.');
  // It depends on nothing else: while it answers, it can do its work.
  const readReport = async () => ({ status: 'up', checks: {} }) as const;
  const server = createServer(answerHealth(readReport, createCodecApp(options).callback()));
  const port = await listen(server, { host, port: options.port }, (error) =>
    options.logger?.error(describeError(error), 'Could not accept a connection'),
  );
  return {
    url: `http://${host}:${port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function createCodecApp(options: CodecServerOptions): Koa {
  const { operators = [], checkToken, logger, callsPerMinute = CALLS_PER_MINUTE } = options;
  const mustSignIn = needsSignIn(options);
  const codec = createPayloadCodec(options.payloadKeys);
  const signIns = createSignInLimit(options);
  const limiter = new RateLimiterMemory({ points: callsPerMinute, duration: 60 });
  const app = new Koa();
  // Koa would write every refusal to standard error.
  app.silent = true;

  app.use(async (context) => {
    if (context.method === 'GET' && context.path === '/authenticate') {
      context.set('X-Operator', (await authenticate(context)).name);
      context.status = 204;
      return;
    }
    allowOrigin(context);
    if (context.method === 'OPTIONS') {
      context.status = 204;
      return;
    }
    if (context.method !== 'POST' || context.path !== '/decode') return context.throw(404);
    await decode(context);
  });
  return app;

  /** The authenticated operator; others get a 401. */
  async function authenticate(context: Context): Promise<CodecOperator> {
    if (!mustSignIn) return localOperator;
    await signIns.requireLeft(context);
    const authorization = context.get('Authorization');
    const [, token] = /^Bearer ([\w.~+/-]+=*)$/i.exec(authorization) ?? [];
    const hasToken = token !== undefined && checkToken !== undefined;
    const operator = hasToken
      ? await checkToken(token).catch((error: unknown) => refuseForNow(context, error, logger))
      : operatorOf(operators, authorization);
    if (operator && operator !== 'expired') return operator;
    await signIns.noteRefused(context, { isGuess: operator !== 'expired' });
    // A browser would ask for a password where only tokens count.
    const challenge = hasToken || operators.length === 0 ? TOKEN_CHALLENGE : PASSWORD_CHALLENGE;
    return context.throw(401, 'Sign in', { headers: { 'WWW-Authenticate': challenge } });
  }

  function allowOrigin(context: Context): void {
    const origin = context.get('Origin');
    if (!options.uiOrigins.includes(origin)) context.throw(403, 'Only the Temporal UI may ask');
    context.set({
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Allow-Headers': 'content-type,x-namespace,authorization,authorization-extras',
      Vary: 'Origin',
      ...(mustSignIn ? { 'Access-Control-Allow-Credentials': 'true' } : {}),
    });
  }

  async function decode(context: Context): Promise<void> {
    const operator = await authenticate(context);
    await limiter.consume(operator.name).catch((spent: RateLimiterRes) => {
      const seconds = Math.ceil(spent.msBeforeNext / 1_000);
      context.throw(429, 'Too many requests', { headers: { 'Retry-After': String(seconds) } });
    });
    try {
      const text = await getRawBody(context.req, { limit: MAXIMUM_BODY, encoding: 'utf8' });
      const { payloads } = bodySchema.parse(JSON.parse(text));
      const decoded = await codec.decode(payloads.map(fromJson));
      const who = { operator: operator.name, payloads: payloads.length };
      logger?.info({ ...who, ...placeOf(context) }, 'Payloads were decrypted');
      context.body = { payloads: decoded.map(toJson) };
    } catch {
      // Invalid data, too much data, or payloads of another key: the page shows them undecoded.
      context.req.resume();
      context.status = 400;
      context.body = {
        message: 'The payloads cannot be read, or not with the keys of this server',
      };
    }
  }
}

function refuseForNow(context: Context, error: unknown, logger: Logger | undefined): never {
  if (!(error instanceof IssuerUnavailableError)) throw error;
  logger?.error(describeError(error.cause), error.message);
  return context.throw(503, error.message, { expose: true });
}

const needsSignIn = ({ operators, checkToken }: CodecServerOptions): boolean =>
  operators !== undefined || checkToken !== undefined;

const placeOf = (context: Context) => ({
  namespace: context.get('X-Namespace'),
  ...workflowOf(context.get('Referer')),
});

/** The workflow whose page asks, which a browser names where UI and codec server have one origin. */
function workflowOf(referer: string): { readonly workflowId?: string; readonly runId?: string } {
  const [, workflowId, runId] = /\/workflows\/([^/?#]{1,1000})\/([\w-]{1,100})/.exec(referer) ?? [];
  if (workflowId === undefined || runId === undefined) return {};
  return { workflowId: decoded(workflowId), runId };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
