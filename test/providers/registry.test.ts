import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { createMobileMoney, createSmsSender } from '../../src/providers/registry.js';
import { startSandbox } from '../../src/sandbox/start-sandbox.js';

it('settings alone choose and configure the providers', async () => {
  const sandbox = await startSandbox({ port: 0 });
  const smsSender = createSmsSender({
    SMS_PROVIDER: 'africas-talking',
    SMS_URL: sandbox.smsUrl,
    SMS_USERNAME: 'sandbox',
    SMS_API_KEY: 'key',
    SMS_SENDER: 'GIFTS',
    SMS_TIMEOUT_SECONDS: 2,
  });
  const mobileMoney = createMobileMoney({
    MOBILE_MONEY_PROVIDER: 'gsma',
    MOBILE_MONEY_URL: sandbox.mobileMoneyUrl,
    MOBILE_MONEY_TOKEN_URL: sandbox.mobileMoneyTokenUrl,
    MOBILE_MONEY_KEY: 'key',
    MOBILE_MONEY_SECRET: 'secret',
    MOBILE_MONEY_ACCOUNT: '2999',
    MOBILE_MONEY_TIMEOUT_SECONDS: 2,
  });
  const number = '+251911234567';
  const sent = await smsSender.send({ to: number, text: 'Hello' });
  const paid = await mobileMoney.pay({
    reference: randomUUID(),
    amount: '10',
    currency: 'ETB',
    payee: [{ key: 'msisdn', value: number }],
    description: 'Voucher redemption',
  });
  await sandbox.close();
  expect([sent.kind, paid.kind]).toEqual(['delivered', 'delivered']);
  expect(sandbox.books.messages(number)).toMatchObject([{ from: 'GIFTS', text: 'Hello' }]);
  expect(sandbox.books.payouts({ to: number })).toMatchObject([{ amount: '10.00' }]);
});
