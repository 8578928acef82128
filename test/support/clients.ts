import { randomUUID } from 'node:crypto';
import { PartnerClient, signatureHeader } from '../../clients/typescript/src/index.ts';
import type { Reason, Surface } from '../../src/domain/refusals.ts';
import type { TestMerchant, TestPartner } from './companies.ts';
import { checkConformance } from './conformance.ts';
import type { Stack } from './stack.ts';

/** What came back, with the body read as JSON. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  readonly body: any;
}

/** Whether an answer was kept from an earlier request with the same key. */
export const wasReplayed = ({ headers }: Answer): boolean =>
  headers.get('Idempotent-Replayed') === 'true';

/** `data` of a refusal: for partners its reason and what it has besides, for merchants nothing. */
export const refusalData = (surface: Surface, reason: Reason, further: object = {}) =>
  surface === 'partner' ? { ...further, reason } : null;

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
  const response = await namedFetch(url, {
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

/** `fetch` says no more than "fetch failed"; a failed test has to say of which request, and why. */
async function namedFetch(url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, request);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const cause = error.cause as Partial<NodeJS.ErrnoException> | undefined;
    const [address] = url.split('?');
    const why = cause?.code ?? cause?.message ?? 'no cause';
    const message = `${error.message}: ${request.method ?? 'GET'} ${address} (${why})`;
    throw new TypeError(message, { cause });
  }
}

const isRaw = (body: unknown): body is string | Uint8Array<ArrayBuffer> =>
  typeof body === 'string' || body instanceof Uint8Array;

/** Logs in by the client that integrators have. */
const logIn = (baseUrl: string, { apiKey }: { readonly apiKey: string }): Promise<string> =>
  new PartnerClient({ baseUrl, apiKey, attempts: 1, fetch: conformingFetch }).accessToken();

/** `fetch` for the client, with answers that are checked like those of `call`. */
export async function conformingFetch(url: string, request: RequestInit): Promise<Response> {
  const response = await namedFetch(url, request);
  const { status, headers } = response;
  const answer = { status, headers, body: await response.clone().json() };
  checkConformance({ method: request.method ?? 'GET', url, answer });
  return response;
}

/** A logged-in partner that sends what it is told, right or wrong, and gets raw answers. */
export async function partnerClient(stack: Pick<Stack, 'url'>, partner: TestPartner) {
  const base = `${stack.url}/api/v1/client`;
  const token = await logIn(base, partner);
  return {
    base,
    token,
    get: (path: string, headers: Record<string, string> = {}) =>
      call(base + path, { headers: { 'x-api-token': token, ...headers } }),
    post: (path: string, body: unknown, headers: Record<string, string> = {}) =>
      call(base + path, { method: 'POST', body, headers: { 'x-api-token': token, ...headers } }),
  };
}

export type RawPartner = Awaited<ReturnType<typeof partnerClient>>;

/**
 * The same of a merchant; `post` signs, and adds an idempotency key where the body has none.
 * `postRaw` signs text or bytes as they are.
 */
export async function merchantClient(stack: Pick<Stack, 'url'>, merchant: TestMerchant) {
  const base = `${stack.url}/api/v1/merchant/client`;
  const token = await logIn(base, merchant);
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

export type RawMerchant = Awaited<ReturnType<typeof merchantClient>>;

/**
 * The newest code that a number was sent, undefined without any; it is there once the claim has been answered. The
 * confirmation of an earlier redemption may come after it.
 */
export async function codeSentTo(sandboxUrl: string, msisdn: string): Promise<string | undefined> {
  const url = `${sandboxUrl}/messages?to=${encodeURIComponent(msisdn)}`;
  const { body } = await call(url, { headers: { Accept: 'application/json' } });
  const [code] = body.flatMap(
    ({ text }: { text: string }) => /^(\d{6}|\d{8}) is your code/.exec(text)?.[1] ?? [],
  );
  return code;
}

/** {@link codeSentTo}, of a number that was sent one */
export async function newestCode(stack: Stack, msisdn: string): Promise<string> {
  const code = await codeSentTo(stack.sandbox.url, msisdn);
  if (!code) throw new Error('No verification code was received');
  return code;
}
