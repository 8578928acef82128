import { type KeyObject, randomUUID, sign } from 'node:crypto';
import type { TestMerchant, TestPartner } from './companies.js';
import { checkConformance } from './conformance.js';
import type { Stack } from './stack.js';

/** What came back, with the body read as JSON. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  readonly body: any;
}

export interface CallOptions {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  /** An object is sent as JSON; text and bytes as they are. */
  readonly body?: unknown;
}

/**
 * Sends a request and reads the answer; nothing is retried. An answer of either API that is not as
 * its OpenAPI document says is an error.
 */
export async function call(url: string, options: CallOptions = {}): Promise<Answer> {
  const { body, headers = {} } = options;
  const method = options.method ?? (body === undefined ? 'GET' : 'POST');
  const response = await fetch(url, {
    method,
    headers: body === undefined ? headers : { 'Content-Type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: isRaw(body) ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const answer = {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  };
  checkConformance({ method, url, answer });
  return answer;
}

const isRaw = (body: unknown): body is string | Uint8Array<ArrayBuffer> =>
  typeof body === 'string' || body instanceof Uint8Array;

/** The signature of a body as merchants send it: DER in base64, `\n`, a message (design 8). */
export function signatureHeader(
  privateKey: KeyObject,
  body: string | Uint8Array,
  message: string = new Date().toISOString(),
): string {
  const signed = Buffer.concat([Buffer.from(body), Buffer.from(`\n${message}`)]);
  const signature = sign('sha256', signed, privateKey);
  return `${signature.toString('base64')}\\n${message}`;
}

/** A logged-in partner. */
export async function partnerClient(stack: Pick<Stack, 'url'>, partner: TestPartner) {
  const base = `${stack.url}/api/v1/client`;
  const login = await call(`${base}/auth/login`, { body: { key: partner.apiKey } });
  const token: string = login.body.accessToken;
  return {
    base,
    token,
    get: (path: string, headers: Record<string, string> = {}) =>
      call(base + path, { headers: { 'x-api-token': token, ...headers } }),
    post: (path: string, body: unknown, headers: Record<string, string> = {}) =>
      call(base + path, { body, headers: { 'x-api-token': token, ...headers } }),
  };
}

export type PartnerClient = Awaited<ReturnType<typeof partnerClient>>;

/**
 * A logged-in merchant; `post` signs, and adds an idempotency key where the body has none.
 * `postRaw` signs text or bytes as they are.
 */
export async function merchantClient(stack: Pick<Stack, 'url'>, merchant: TestMerchant) {
  const base = `${stack.url}/api/v1/merchant/client`;
  const login = await call(`${base}/auth/login`, { body: { key: merchant.apiKey } });
  const token: string = login.body.accessToken;
  const postRaw = (
    path: string,
    body: string | Uint8Array,
    headers: Record<string, string> = {},
  ): Promise<Answer> =>
    call(base + path, {
      body,
      headers: {
        'x-api-token': token,
        'x-signature': signatureHeader(merchant.privateKey, body),
        ...headers,
      },
    });
  return {
    base,
    token,
    get: (path: string, headers: Record<string, string> = {}) =>
      call(base + path, { headers: { 'x-api-token': token, ...headers } }),
    postRaw,
    post: (path: string, body: Record<string, unknown>, headers: Record<string, string> = {}) =>
      postRaw(path, JSON.stringify({ idempotencyKey: randomUUID(), ...body }), headers),
  };
}

export type MerchantClient = Awaited<ReturnType<typeof merchantClient>>;

/** The code of the newest message to a number; it is there once the claim has been answered. */
export async function newestCode(stack: Stack, msisdn: string): Promise<string> {
  const url = `${stack.sandbox.url}/messages?to=${encodeURIComponent(msisdn)}`;
  const { body } = await call(url, { headers: { Accept: 'application/json' } });
  const code = /^(\d{6}|\d{8}) is your code/.exec(body[0]?.text ?? '')?.[1];
  if (!code) throw new Error('No verification code was received');
  return code;
}
