import { hash, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { Payload } from '@temporalio/common';
import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from 'jose';
import Koa, { type Context } from 'koa';
import type { Logger } from 'pino';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import getRawBody from 'raw-body';
import { z } from 'zod';
import type { CodecConfig } from '../../config/config.ts';
import type { SecretKey } from '../../crypto/secret-box.ts';
import { answerHealth, closeAtOnce, listen } from '../process/health.ts';
import { describeError } from '../process/logger.ts';
import { createPayloadCodec } from './payload-codec.ts';

/** An operator who may decode payloads. */
interface CodecOperator {
  readonly name: string;
}

/** An operator who signs in with a password. */
interface PasswordOperator extends CodecOperator {
  /** SHA-256 of a random password; random passwords need no slow hash. */
  readonly passwordDigest: Buffer;
}

/** The operator of an `Authorization: Basic` header; undefined for wrong credentials. */
function operatorOf(
  operators: readonly PasswordOperator[],
  authorization: string,
): PasswordOperator | undefined {
  const encoded = /^Basic ([A-Za-z0-9+/]+=*)$/i.exec(authorization)?.[1];
  if (encoded === undefined) return undefined;
  const [, name, password = ''] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
  const digest = hash('sha256', password, 'buffer');
  return operators.find(
    (operator) => operator.name === name && timingSafeEqual(operator.passwordDigest, digest),
  );
}

/**
 * The answer about a token; undefined for an invalid token. `expired`: the issuer has signed it for
 * this service, so that it is no guess.
 */
type TokenCheck = (token: string) => Promise<CodecOperator | 'expired' | undefined>;

/** The keys of the issuer cannot be read, which says nothing about the token. */
class IssuerUnavailableError extends Error {
  override readonly name = 'IssuerUnavailableError';
}

/** Signatures by key pairs: "none" and shared secrets prove nothing. */
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA'.split(' ');
const CLOCK_SECONDS = 30;
const KEYS_MS = 5_000;
/** Tokens of unknown keys make the server look for new keys no more often than this. */
const COOLDOWN_MS = 30_000;
const MAXIMUM_TOKEN = 16_384;

/**
 * Verifies the tokens of an identity provider (OpenID Connect) that the Temporal UI passes on:
 * signature, issuer, audience, times, and a claim that allows the person to decrypt. Undefined where
 * the settings name no identity provider.
 */
export function createTokenCheck({
  codecServerTokenIssuer: issuer,
  codecServerTokenAudience: audience,
  codecServerTokenKeysUrl: keysUrl,
  codecServerTokenClaims: tokenClaims,
}: CodecConfig['codec']): TokenCheck | undefined {
  if (issuer === undefined || audience === undefined || keysUrl === undefined) return undefined;
  const nameClaim = tokenClaims.find(({ what }) => what === 'name')?.name ?? 'sub';
  const decodeClaims = tokenClaims.filter(({ what }) => what === 'decode');
  const required = {
    issuer,
    audience,
    algorithms: ALGORITHMS,
    requiredClaims: ['exp'],
    clockTolerance: CLOCK_SECONDS,
  };
  const keys = createRemoteJWKSet(new URL(keysUrl), {
    timeoutDuration: KEYS_MS,
    cooldownDuration: COOLDOWN_MS,
  });

  return async (token) => {
    if (token.length > MAXIMUM_TOKEN) return undefined;
    const claims = await verified(token);
    if (claims === 'expired') return claims;
    const name = claims?.[nameClaim];
    // A header carries the name to the proxy.
    if (!claims || typeof name !== 'string' || !/^[\x21-\x7e]{1,200}$/.test(name)) return undefined;
    if (!hasAny(claims, decodeClaims)) return undefined;
    // Never the name of an operator with a password, which has no colon.
    return { name: `token:${name}` };
  };

  async function verified(token: string): Promise<JWTPayload | 'expired' | undefined> {
    try {
      const { payload } = await jwtVerify(token, keys, required);
      return payload;
    } catch (error) {
      // jose looks at the times last, after signature, issuer and audience.
      if (error instanceof errors.JWTExpired) return 'expired';
      if (isAboutToken(error)) return undefined;
      throw new IssuerUnavailableError('The keys of the identity provider cannot be read', {
        cause: error,
      });
    }
  }
}

/** Other failures come from reading the keys: the network, or an answer that is no key set. */
const isAboutToken = (error: unknown): boolean =>
  [
    errors.JWTInvalid,
    errors.JWTClaimValidationFailed,
    errors.JWSInvalid,
    errors.JWSSignatureVerificationFailed,
    errors.JOSEAlgNotAllowed,
    errors.JOSENotSupported,
    errors.JWKSNoMatchingKey,
    errors.JWKSMultipleMatchingKeys,
  ].some((kind) => error instanceof kind);

/** Whether a token has one of some claims: its value, or a list with the value. */
const hasAny = (
  claims: JWTPayload,
  required: CodecConfig['codec']['codecServerTokenClaims'],
): boolean =>
  required.some(({ name, value }) => {
    const held = claims[name];
    return Array.isArray(held) ? held.includes(value) : held === value;
  });

/** A payload in the format of the Temporal UI: bytes in base64. */
interface JsonPayload {
  readonly metadata?: Record<string, string> | undefined;
  readonly data?: string | undefined;
}

const fromJson = ({ metadata = {}, data = '' }: JsonPayload): Payload => ({
  metadata: Object.fromEntries(
    Object.entries(metadata).map(([key, value]) => [key, Buffer.from(value, 'base64')]),
  ),
  data: Buffer.from(data, 'base64'),
});

export const toJson = ({ metadata, data }: Payload): JsonPayload => ({
  metadata: Object.fromEntries(
    Object.entries(metadata ?? {}).map(([key, value]) => [
      key,
      Buffer.from(value).toString('base64'),
    ]),
  ),
  data: Buffer.from(data ?? []).toString('base64'),
});

/** Where a call comes from. */
interface CallSource {
  readonly address: string;
  /** The unit of the limit: the address, or the network of one customer. */
  readonly group: string;
}

type SourceOf = (remoteAddress: string | undefined, forwardedFor: string) => CallSource | undefined;

/** A refused sign-in is a wrong password or an invalid token; a person mistypes a few. */
const REFUSALS_PER_MINUTE = 20;

const itself: SourceOf = (address) =>
  address === undefined ? undefined : { address, group: address };

/**
 * Limits how often one address may guess, and logs each refused sign-in: never the credential. A call
 * without a credential is no guess: a browser asks so before it shows its form.
 */
function createSignInLimit({
  sourceOf = itself,
  refusalsPerMinute = REFUSALS_PER_MINUTE,
  logger,
}: {
  readonly sourceOf?: SourceOf | undefined;
  readonly refusalsPerMinute?: number | undefined;
  readonly logger?: Logger | undefined;
}) {
  const refusals = new RateLimiterMemory({ points: refusalsPerMinute, duration: 60 });
  const sourceOfCall = (context: Context): CallSource =>
    sourceOf(context.req.socket.remoteAddress, context.get('X-Forwarded-For')) ?? {
      address: 'unknown',
      group: 'unknown',
    };

  return {
    /** Ends the call with 429 where its address has guessed too often. */
    async requireLeft(context: Context): Promise<void> {
      const spent = await refusals.get(sourceOfCall(context).group);
      if (spent === null || spent.consumedPoints < refusalsPerMinute) return;
      const seconds = Math.ceil(spent.msBeforeNext / 1_000);
      context.throw(429, 'Too many refused sign-ins', {
        headers: { 'Retry-After': String(seconds) },
      });
    },

    /** Logs a refused sign-in. A token that has expired is no guess, and does not count. */
    async noteRefused(context: Context, { isGuess }: { isGuess: boolean }): Promise<void> {
      if (context.get('Authorization') === '') return;
      const { address, group } = sourceOfCall(context);
      const { consumedPoints } = await refusals.penalty(group, isGuess ? 1 : 0);
      logger?.warn(
        {
          source: address,
          origin: context.get('Origin').slice(0, 200),
          isBlocked: consumedPoints >= refusalsPerMinute,
        },
        'A sign-in was refused',
      );
    },
  };
}

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

interface CodecServerOptions {
  readonly host?: string;
  readonly port: number;
  readonly uiOrigins: readonly string[];
  readonly payloadKeys: readonly SecretKey[];
  readonly operators?: readonly PasswordOperator[];
  /** Accepts tokens of an identity provider. */
  readonly checkToken?: TokenCheck | undefined;
  /** Longer than the proxy in front of it keeps a connection; by default Node's own. */
  readonly idleTimeoutSeconds?: number;
  readonly callsPerMinute?: number;
  /** Of one address; wrong credentials beyond them are not even checked. */
  readonly refusalsPerMinute?: number;
  /** By default the address of the connection. */
  readonly sourceOf?: SourceOf;
  /** Records who decoded payloads, their number and their workflow, and never their contents. */
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
  const { host = LOOPBACK, idleTimeoutSeconds } = options;
  if (!needsSignIn(options) && host !== LOOPBACK)
    throw new RangeError('A codec server that others can reach needs operators.');
  // It depends on nothing else: while it answers, it can do its work.
  const readReport = async () => ({ status: 'up', checks: {} }) as const;
  const server = createServer(answerHealth(readReport, createCodecApp(options).callback()));
  const port = await listen(server, { host, port: options.port, idleTimeoutSeconds }, (error) =>
    options.logger?.error(describeError(error), 'Could not accept a connection'),
  );
  return {
    url: `http://${host}:${port}`,
    stop: () => closeAtOnce(server),
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
      ...(mustSignIn && { 'Access-Control-Allow-Credentials': 'true' }),
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
