import { expect, test } from 'vitest';
import {
  NoAnswerError,
  OpenRequestError,
  PartnerClient,
} from '../../clients/typescript/src/index.ts';

const LOGGED_IN = { accessToken: 'token', success: true, statusCode: 200, message: 'Logged in' };

/** A client with little time, whose log-in is answered at once, and each other request as told. */
const clientOf = (answer: (request: RequestInit) => Promise<Response>) =>
  new PartnerClient({
    baseUrl: 'http://service.test/api/v1/client',
    apiKey: 'gvs_test_key',
    totalSeconds: 0.5,
    firstPauseSeconds: 0.01,
    fetch: async (url, request) =>
      url.endsWith('/auth/login') ? Response.json(LOGGED_IN) : answer(request),
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
