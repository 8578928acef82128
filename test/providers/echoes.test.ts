import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { readMpesaResult } from '../../src/callbacks/mpesa.ts';
import type { Airtime } from '../../src/providers/airtime/airtime.ts';
import { createDtOneAirtime } from '../../src/providers/airtime/dt-one/client.ts';
import { createReloadlyAirtime } from '../../src/providers/airtime/reloadly/client.ts';
import { createGsmaMobileMoney } from '../../src/providers/mobile-money/gsma/client.ts';
import type { MobileMoney } from '../../src/providers/mobile-money/mobile-money.ts';
import { createMpesaMobileMoney } from '../../src/providers/mobile-money/mpesa/client.ts';
import { createAfricasTalking } from '../../src/providers/sms/africas-talking.ts';
import { startRawServer } from './raw-server.ts';

/**
 * Providers that repeat what they were sent, credentials and all, wherever their answers have words:
 * nothing of it is in what adapters tell, which is stored, logged and shown.
 */
/** With a digit, as the keys of providers have: random letters alone look like a word. */
const newSecret = () => `${randomBytes(24).toString('base64url')}7`;
const NUMBER = '+251911234567';
const CODE = '735162';
const [key, secret] = [randomUUID(), newSecret()];
const token = `${newSecret()}.${newSecret()}.${newSecret()}`;
const basic = Buffer.from(`${key}:${secret}`).toString('base64');
const secrets = [NUMBER.slice(-9), CODE, key, secret, token, basic];

/** Every name that words have in the answers of any provider. */
const named = (words: string) => ({
  errorCategory: 'businessRule',
  errorCode: words,
  errorDescription: words,
  code: words,
  message: words,
  error: words,
  errorMessage: words,
  description: words,
  ResponseCode: words,
  ResponseDescription: words,
  transactionStatus: words,
  status: words,
  errors: [{ code: 1_000_400, message: words }],
  SMSMessageData: { Message: words, Recipients: [] },
});

async function echo(request: IncomingMessage, response: ServerResponse, status: number) {
  const sent = await text(request);
  const isForToken = /token|generate/.test(request.url ?? '');
  const words = `${request.url} ${JSON.stringify(request.headers)} ${sent}`;
  const body = isForToken ? { access_token: token, expires_in: 3_600 } : named(words);
  response
    .writeHead(isForToken ? 200 : status, { 'Content-Type': 'application/json' })
    .end(JSON.stringify(body));
}

async function askMoney(money: MobileMoney): Promise<unknown[]> {
  const payment = {
    reference: randomUUID(),
    amount: '97.000000',
    currency: 'ETB',
    payee: [{ key: 'msisdn', value: NUMBER }],
    description: 'Voucher redemption',
  };
  return [
    await money.pay(payment),
    await money.findPayment(payment),
    await money.checkAccount?.({ key: 'msisdn', value: NUMBER }),
    await money.balance?.(),
    await money.check?.(),
  ];
}

async function askAirtime(airtime: Airtime): Promise<unknown[]> {
  const product = { kind: 'airtime', operator: 'ETHIO_TELECOM', amount: '50.00' } as const;
  const order = { reference: randomUUID().slice(0, 30), msisdn: NUMBER, product };
  return [
    await airtime.send(order),
    await airtime.findOrder(order),
    await airtime.balance?.(),
    await airtime.check?.(),
  ];
}

const timeoutSeconds = 1;
const operators = { ETHIO_TELECOM: 1001, SAFARICOM_ETHIOPIA: 1002 };
const noResults = { ofPayment: async () => undefined, takeAnswers: async () => [] };

const asked: Readonly<Record<string, (baseUrl: string) => Promise<unknown[]>>> = {
  gsma: (baseUrl) =>
    askMoney(
      createGsmaMobileMoney({
        baseUrl,
        account: '2999',
        timeoutSeconds,
        checksAccounts: true,
        token: { url: `${baseUrl}/token`, key, secret },
      }),
    ),
  mpesa: (baseUrl) =>
    askMoney(
      createMpesaMobileMoney(
        {
          baseUrl,
          key,
          secret,
          timeoutSeconds,
          credential: newSecret(),
          tokenPath: '/generate',
          paymentPath: '/pay',
          statusPath: '/status',
          callbackUrl: `${baseUrl}/callback`,
          shortCode: '600992',
          initiator: 'testapi',
        },
        noResults,
      ),
    ),
  'dt-one': (baseUrl) =>
    askAirtime(
      createDtOneAirtime({ baseUrl, key, secret, rangedProducts: operators, timeoutSeconds }),
    ),
  reloadly: (baseUrl) =>
    askAirtime(
      createReloadlyAirtime({
        baseUrl,
        operatorIds: operators,
        timeoutSeconds,
        settleSeconds: 0,
        zone: 'UTC',
        token: {
          url: `${baseUrl}/token`,
          clientId: key,
          clientSecret: secret,
          audience: 'https://topups.reloadly.com',
        },
      }),
    ),
  'africas-talking': async (baseUrl) => {
    const sender = createAfricasTalking({
      baseUrl,
      username: 'sandbox',
      apiKey: secret,
      timeoutSeconds,
    });
    return [
      await sender.send({ to: NUMBER, text: `${CODE} is your code` }),
      await sender.balance?.(),
    ];
  },
};

describe.each(Object.keys(asked))('%s', (name) => {
  it.each([200, 201, 202, 400, 401, 402, 403, 404, 409, 422, 429, 500, 503])(
    'answers %i with all that it was sent',
    async (status) => {
      const server = await startRawServer((request, response) => {
        void echo(request, response, status);
      });
      const told = JSON.stringify(await asked[name]?.(server.url));
      await server.close();
      expect(server.requests.length).toBeGreaterThan(1);
      expect(told).toMatch(/"kind":/);
      expect(secrets.filter((one) => told.includes(one))).toEqual([]);
    },
  );
});

it('M-Pesa tells of a payment with all that it was sent', () => {
  const words = `${NUMBER} ${token} Basic ${basic} ${key}`;
  const body = { Result: { ResultCode: 2001, ResultDesc: words, ConversationID: 'AG_1' } };
  const payment = { amount: '97.000000', payee: [{ key: 'msisdn', value: NUMBER }] };
  const told = JSON.stringify(readMpesaResult('payment', randomUUID(), body, payment));
  expect(secrets.filter((one) => told.includes(one))).toEqual([]);
});
