import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpResult } from '../../../../src/providers/http-call.ts';
import { readName, readStatus } from '../../../../src/providers/mobile-money/gsma/account.ts';
import { createGsmaMobileMoney } from '../../../../src/providers/mobile-money/gsma/client.ts';
import { type Sandbox, startSandbox } from '../../../../src/sandbox/start-sandbox.ts';
import { closedAddress } from '../../raw-server.ts';

const answered = (status: number, body: unknown): HttpResult => ({
  kind: 'answered',
  status,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const missing = {
  errorCategory: 'Identification',
  errorCode: 'IdentifierError',
  errorDescription: 'x',
};

describe('the answer about an account', () => {
  const open = { kind: 'open', holder: null };
  const unknown = { kind: 'unknown', message: expect.any(String) };
  it.each<[what: string, answer: HttpResult, status: object, name: object]>([
    [
      'of GSMA that it does not exist',
      answered(404, missing),
      { kind: 'closed' },
      { kind: 'closed' },
    ],
    ['of a gateway', answered(404, 'Not Found'), { kind: 'not-offered' }, { kind: 'not-offered' }],
    ['not implemented', answered(501, ''), { kind: 'not-offered' }, { kind: 'not-offered' }],
    ['without credentials', answered(401, ''), unknown, unknown],
    ['busy', answered(503, ''), unknown, unknown],
    ['half an answer', answered(200, '{"accountSta'), unknown, { kind: 'not-offered' }],
    ['none', { kind: 'unknown', message: 'x' }, unknown, unknown],
    ['available', answered(200, { accountStatus: 'Available' }), open, { kind: 'not-offered' }],
    [
      'unavailable',
      answered(200, { AccountStatus: 'unavailable' }),
      { kind: 'closed' },
      { kind: 'not-offered' },
    ],
    [
      'unregistered',
      answered(200, { accountStatus: 'unregistered' }),
      { kind: 'closed' },
      { kind: 'not-offered' },
    ],
    ['another word', answered(200, { accountStatus: 'dormant' }), unknown, { kind: 'not-offered' }],
    [
      'a full name',
      answered(200, { name: { fullName: ' Abebe Kebede ', firstName: 'x' } }),
      unknown,
      { kind: 'open', holder: 'Abebe Kebede' },
    ],
    [
      'parts of a name',
      answered(200, { name: { title: 'Ms', firstName: 'Chaltu', lastName: 'Bekele' } }),
      unknown,
      { kind: 'open', holder: 'Chaltu Bekele' },
    ],
    ['an empty name', answered(200, { name: {} }), unknown, open],
  ])('%s', (_what, answer, status, name) => {
    expect(readStatus(answer)).toEqual(status);
    expect(readName(answer)).toEqual(name);
  });
});

describe('against the sandbox', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox({ port: 0, delayScale: 0 });
  });
  afterAll(() => sandbox.close());
  const ask = (value: string, baseUrl = sandbox.mobileMoneyUrl, key = 'msisdn') =>
    createGsmaMobileMoney({ baseUrl, account: '2999', timeoutSeconds: 60 }).checkAccount?.({
      key,
      value,
    });

  it.each([
    ['000', { kind: 'open', holder: 'Abebe Kebede' }],
    ['026', { kind: 'closed' }],
    ['027', { kind: 'closed' }],
    ['028', { kind: 'closed' }],
    ['029', { kind: 'open', holder: 'Chaltu Bekele' }],
    ['030', { kind: 'unknown', message: 'HTTP status 503.' }],
  ])('a number that ends in %s', async (suffix, answer) => {
    expect(await ask(`+251911000${suffix}`)).toEqual(answer);
    expect(sandbox.books.payouts({})).toEqual([]);
  });

  it('an account of another kind, and a provider that is not there', async () => {
    expect(await ask('1000123400', undefined, 'accountid')).toMatchObject({ kind: 'open' });
    expect(await ask('+251911000000', await closedAddress())).toMatchObject({ kind: 'unknown' });
  });

  it('is not asked for where the settings say so', () => {
    const settings = { baseUrl: sandbox.mobileMoneyUrl, account: '2999', timeoutSeconds: 60 };
    expect(createGsmaMobileMoney({ ...settings, checksAccounts: false }).checkAccount).toBe(
      undefined,
    );
  });
});
