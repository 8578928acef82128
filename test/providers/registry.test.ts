import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { inCamelCase } from '../../src/config/setting-names.ts';
import {
  callbackSettings,
  defaultProviderSettings,
  providerSettings,
} from '../../src/config/settings/provider-settings.ts';
import {
  createAirtimeSet,
  createMobileMoneySet,
  createProviderSet,
  createSmsSenders,
  ProviderNotConfigured,
  wrapProviders,
} from '../../src/providers/provider-set.ts';
import { startSandbox } from '../../src/sandbox/start-sandbox.ts';

it('settings alone choose and configure the providers', async () => {
  const sandbox = await startSandbox({ port: 0 });
  const environment = {
    SMS_URL: sandbox.smsUrl,
    SMS_API_KEY: 'key',
    SMS_SENDER: 'GIFTS',
    SMPP_URL: sandbox.smppUrl,
    MOBILE_MONEY_URL: sandbox.mobileMoneyUrl,
    MOBILE_MONEY_TOKEN_URL: sandbox.mobileMoneyTokenUrl,
    MOBILE_MONEY_KEY: 'key',
    MOBILE_MONEY_SECRET: 'secret',
    MOBILE_MONEY_ACCOUNT: '2999',
    MPESA_URL: sandbox.mpesaUrl,
    MPESA_PATHS: 'token=/v1/token/generate,payment=/mpesa/b2c/v2/paymentrequest',
    MPESA_CONSUMER_KEY: 'key',
    MPESA_CONSUMER_SECRET: 'secret',
    MPESA_SHORT_CODE: '600992',
    MPESA_INITIATOR: 'sandbox',
    MPESA_SECURITY_CREDENTIAL: 'credential',
    CALLBACK_SECRETS: 'mpesa=a-path-that-nobody-guesses',
    AIRTIME_URL: sandbox.airtimeUrl,
    AIRTIME_KEY: 'key',
    AIRTIME_SECRET: 'secret',
    RELOADLY_URL: sandbox.reloadlyUrl,
    RELOADLY_TOKEN_URL: sandbox.reloadlyTokenUrl,
    RELOADLY_CLIENT_ID: 'client',
    RELOADLY_CLIENT_SECRET: 'secret',
    RELOADLY_OPERATORS: 'ETHIO_TELECOM=3001,SAFARICOM_ETHIOPIA=3002',
  };
  const settings = {
    providers: inCamelCase(z.object(providerSettings).parse(environment)),
    callbacks: inCamelCase(z.object(callbackSettings).parse(environment)),
    defaultProviders: inCamelCase(z.object(defaultProviderSettings).parse(environment)),
  };
  const smsSender = createSmsSenders(settings);
  const mobileMoney = createMobileMoneySet(settings);
  const airtime = createAirtimeSet(settings);
  const number = '+251911234567';
  const sent = await smsSender.named(smsSender.defaultName).send({ to: number, text: 'Hello' });
  const overSmpp = await smsSender.named('smpp').send({ to: '+251911234568', text: 'Hello' });
  expect(overSmpp.kind).toBe('delivered');
  const paid = await mobileMoney.named('gsma').pay({
    reference: randomUUID(),
    amount: '10',
    currency: 'ETB',
    payee: [{ key: 'msisdn', value: number }],
    description: 'Voucher redemption',
  });
  const toppedUp = await Promise.all(
    [
      { msisdn: number, operator: 'ETHIO_TELECOM' } as const,
      { msisdn: '+251711234567', operator: 'SAFARICOM_ETHIOPIA' } as const,
    ].map(({ msisdn, operator }) =>
      airtime.named('dt-one').send({
        reference: randomUUID(),
        msisdn,
        product: { kind: 'airtime', operator, amount: '10' },
      }),
    ),
  );
  await sandbox.close();
  expect([sent, paid, ...toppedUp].map(({ kind }) => kind)).toEqual(Array(4).fill('delivered'));
  expect(sandbox.books.messages(number)).toMatchObject([{ from: 'GIFTS', text: 'Hello' }]);
  expect(sandbox.books.payouts({ to: number })).toMatchObject([{ amount: '10.00' }]);
  expect(sandbox.books.topups()).toHaveLength(2);
});

it('a provider without its address is not configured, and the default must be', () => {
  const set = createProviderSet({ one: 1, two: undefined, three: 3 }, 'three');
  expect(set.names).toEqual(['three', 'one']);
  expect([set.named(set.defaultName), set.named('one')]).toEqual([3, 1]);
  expect(() => set.named('two')).toThrow('The provider two is not configured');
  expect(() => createProviderSet({ one: 1, two: undefined }, 'two')).toThrow(ProviderNotConfigured);
});

it('a wrapped set has the same providers, each behind its wrap', () => {
  const set = createProviderSet({ one: 'a', two: undefined, three: 'b' }, 'three');
  const wrapped = wrapProviders(set, (port, name) => ({
    port: `${name} ${port}`,
    isAvailable: () => name === 'one',
    hasMoney: () => true,
  }));
  expect([wrapped.named(wrapped.defaultName), wrapped.named('one')]).toEqual(['three b', 'one a']);
  expect(() => wrapped.named('two')).toThrow(ProviderNotConfigured);
  expect(wrapped.names).toEqual(set.names);
  expect([wrapped.isAvailable('one'), wrapped.isAvailable('three')]).toEqual([true, false]);
});
