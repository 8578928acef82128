import { createServer } from 'node:http';
import Koa, { type Context } from 'koa';
import type { Logger } from 'pino';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import getRawBody from 'raw-body';
import { z } from 'zod';
import { describeError } from '../process/describe-error.js';
import { listen } from '../process/listen.js';
import { type CodecOperator, operatorOf } from './codec-operators.js';
import { fromJson, toJson } from './json-payloads.js';
import { createPayloadCodec, type PayloadKey } from './payload-codec.js';

const MAXIMUM_BODY = '8mb';
/** A page of the UI sends a few dozen calls. */
const CALLS_PER_MINUTE = 1_200;
const LOOPBACK = '127.0.0.1';

const bodySchema = z.object({
  payloads: z.array(
    z.object({
      metadata: z.record(z.string(), z.base64()).optional(),
      data: z.base64().optional(),
    }),
  ),
});

/** Any user of this machine, where the server listens only on its loopback address. */
const localOperator: CodecOperator = {
  name: 'local',
  mayEncode: false,
  passwordDigest: Buffer.alloc(0),
};

export interface CodecServerOptions {
  readonly host?: string;
  readonly port: number;
  readonly uiOrigins: readonly string[];
  readonly payloadKeys: readonly PayloadKey[];
  readonly operators?: readonly CodecOperator[];
  readonly callsPerMinute?: number;
  /** Logs who decoded how many payloads, and never their contents. */
  readonly logger?: Logger;
}

/**
 * Decrypts payloads for the Temporal UI in a browser, and answers only pages of the UI's own
 * origin. With operators it requires name and password, and encrypts for operators who may send
 * commands with data. Without operators it only decrypts, for this machine. `GET /authenticate`
 * authenticates operators for the proxy in front of the UI.
 */
export async function startCodecServer(
  options: CodecServerOptions,
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const { host = LOOPBACK } = options;
  if (!options.operators && host !== LOOPBACK)
    throw new RangeError('A codec server that others can reach needs operators.');
  const server = createServer(createCodecApp(options).callback());
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
  const { operators, logger, callsPerMinute = CALLS_PER_MINUTE } = options;
  const codec = createPayloadCodec(options.payloadKeys);
  const limiter = new RateLimiterMemory({ points: callsPerMinute, duration: 60 });
  const app = new Koa();
  // Koa would write every refusal to standard error.
  app.silent = true;

  app.use(async (context) => {
    if (context.method === 'GET' && context.path === '/authenticate') {
      context.set('X-Operator', authenticate(context).name);
      context.status = 204;
      return;
    }
    allowOrigin(context);
    if (context.method === 'OPTIONS') {
      context.status = 204;
      return;
    }
    const action = context.path.slice(1);
    if (context.method !== 'POST' || (action !== 'decode' && action !== 'encode'))
      return context.throw(404);
    await convert(context, action);
  });
  return app;

  /** The authenticated operator; others get a 401. */
  function authenticate(context: Context): CodecOperator {
    if (!operators) return localOperator;
    const operator = operatorOf(operators, context.get('Authorization'));
    if (operator) return operator;
    const headers = { 'WWW-Authenticate': 'Basic realm="Temporal", charset="UTF-8"' };
    return context.throw(401, 'Sign in', { headers });
  }

  function allowOrigin(context: Context): void {
    const origin = context.get('Origin');
    if (!options.uiOrigins.includes(origin)) context.throw(403, 'Only the Temporal UI may ask');
    context.set({
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Allow-Headers': 'content-type,x-namespace,authorization',
      Vary: 'Origin',
      ...(operators ? { 'Access-Control-Allow-Credentials': 'true' } : {}),
    });
  }

  async function convert(context: Context, action: 'encode' | 'decode'): Promise<void> {
    const operator = authenticate(context);
    if (action === 'encode' && !operator.mayEncode) context.throw(operators ? 403 : 404);
    await limiter.consume(operator.name).catch((spent: RateLimiterRes) => {
      const seconds = Math.ceil(spent.msBeforeNext / 1_000);
      context.throw(429, 'Too many requests', { headers: { 'Retry-After': String(seconds) } });
    });
    try {
      const text = await getRawBody(context.req, { limit: MAXIMUM_BODY, encoding: 'utf8' });
      const { payloads } = bodySchema.parse(JSON.parse(text));
      const converted = await codec[action](payloads.map(fromJson));
      const who = { operator: operator.name, namespace: context.get('X-Namespace') };
      logger?.info({ ...who, action, payloads: payloads.length }, 'Payloads were converted');
      context.body = { payloads: converted.map(toJson) };
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
