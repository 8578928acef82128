import { generateKeyPairSync } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import {
  MerchantClient,
  NoAnswerError,
  OpenRequestError,
  PartnerClient,
} from '../../clients/typescript/src/index.ts';

const LOGGED_IN = { accessToken: 'token', success: true, statusCode: 200, message: 'Logged in' };

/** A client with little time, whose log-in is answered at once unless told, and each other request as told. */
const clientOf = (
  answer: (request: RequestInit) => Promise<Response>,
  logIn: () => Promise<Response> = async () => Response.json(LOGGED_IN),
) =>
  new PartnerClient({
    baseUrl: 'http://service.test/api/v1/client',
    apiKey: 'gvs_test_key',
    totalSeconds: 0.5,
    firstPauseSeconds: 0.01,
    fetch: async (url, request) => (url.endsWith('/auth/login') ? logIn() : answer(request)),
  });

/** Never answers: the request ends with its time. */
const silence = ({ signal }: RequestInit) =>
  new Promise<Response>((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(new Error('Aborted')), { once: true });
  });

const ORDER = { denominationId: 3, merchantId: 1, msisdn: null };

test('a request has as much time as its call has left', async () => {
  const client = clientOf(async () => Response.json({ success: true, data: { scopes: ['read'] } }));
  expect(await client.readKey()).toEqual({ scopes: ['read'] });
});

test('a change whose time ends without an answer is open, and a read has no answer', async () => {
  const client = clientOf(silence);
  const order = client.vouchers.generate(ORDER, { idempotencyKey: 'order-1' });
  const error = await order.catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(OpenRequestError);
  expect(error).toMatchObject({ idempotencyKey: 'order-1' });
  await expect(client.readBalances()).rejects.toBeInstanceOf(NoAnswerError);
});

test('no request begins after the time of its call, which a log-in has taken', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const sent = vi.fn(silence);
    const client = clientOf(sent, async () => {
      vi.advanceTimersByTime(600);
      return Response.json(LOGGED_IN);
    });
    await expect(client.vouchers.generate(ORDER)).rejects.toBeInstanceOf(NoAnswerError);
    expect(sent).not.toHaveBeenCalled();
  } finally {
    vi.useRealTimers();
  }
});

test('a call that was aborted before it began sends nothing, and leaves no failure to nobody', async () => {
  const sent = vi.fn(async () => {
    throw new TypeError('fetch failed');
  });
  const client = clientOf(sent, sent);
  const signal = AbortSignal.abort(new Error('Not needed any more'));
  await expect(client.readBalances({ signal })).rejects.toThrow('Not needed any more');
  await expect(client.accessToken({ signal })).rejects.toThrow('Not needed any more');
  expect(sent).not.toHaveBeenCalled();
});

test('the key of a merchant may stand in the body, as the reference has it', async () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
  const sent: string[] = [];
  const merchant = new MerchantClient({
    baseUrl: 'http://service.test/api/v1/merchant/client',
    apiKey: 'gvs_test_key',
    privateKey,
    fetch: async (url, { body }) => {
      if (url.endsWith('/auth/login')) return Response.json(LOGGED_IN);
      sent.push(JSON.parse(String(body)).idempotencyKey);
      return Response.json({ success: true, data: {} });
    },
  });
  const claim = { voucherCode: '0000-0000-0000-0001', idempotencyKey: 'sale-1' };
  await merchant.vouchers.initiateClaim(claim);
  await merchant.vouchers.initiateClaim(claim, { idempotencyKey: 'sale-2' });
  expect(sent).toEqual(['sale-1', 'sale-2']);
});
