import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Payload } from '@temporalio/common';
import Koa from 'koa';
import getRawBody from 'raw-body';
import { z } from 'zod';
import { createPayloadCodec, type PayloadKey } from './payload-codec.js';

const MAXIMUM_BODY = '8mb';

const bodySchema = z.object({
  payloads: z.array(
    z.object({
      metadata: z.record(z.string(), z.base64()).optional(),
      data: z.base64().optional(),
    }),
  ),
});

/**
 * Decrypts payloads for the Temporal UI in a browser on this machine. It only decrypts, answers only
 * pages of the UI's own origin, and listens on the loopback address, since it asks for no password.
 */
export async function startCodecServer(options: {
  readonly port: number;
  readonly uiOrigins: readonly string[];
  readonly payloadKeys: readonly PayloadKey[];
}): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const codec = createPayloadCodec(options.payloadKeys);
  const app = new Koa();
  app.use(async (context) => {
    const origin = context.get('Origin');
    if (!options.uiOrigins.includes(origin)) context.throw(403, 'Only the Temporal UI may ask');
    context.set({
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Allow-Headers': 'content-type,x-namespace,authorization',
      Vary: 'Origin',
    });
    if (context.method === 'OPTIONS') {
      context.status = 204;
      return;
    }
    if (context.method !== 'POST' || context.path !== '/decode') context.throw(404);
    try {
      const text = await getRawBody(context.req, { limit: MAXIMUM_BODY, encoding: 'utf8' });
      const { payloads } = bodySchema.parse(JSON.parse(text));
      const decoded = await codec.decode(payloads.map(fromJson));
      context.body = { payloads: decoded.map(toJson) };
    } catch {
      // Garbage, too much of it, or payloads of another key: the page shows them as they are.
      context.req.resume();
      context.status = 400;
      context.body = {
        message: 'The payloads cannot be read, or not with the keys of this server',
      };
    }
  });
  const server = createServer(app.callback());
  const port = await new Promise<number>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

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

const toJson = ({ metadata, data }: Payload): JsonPayload => ({
  metadata: Object.fromEntries(
    Object.entries(metadata ?? {}).map(([key, value]) => [
      key,
      Buffer.from(value).toString('base64'),
    ]),
  ),
  data: Buffer.from(data ?? []).toString('base64'),
});
