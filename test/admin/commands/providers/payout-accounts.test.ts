import { afterAll, beforeAll, expect, it } from 'vitest';
import { addMerchant } from '../../../../src/db/catalogue/companies.ts';
import { type Sandbox, startSandbox } from '../../../../src/sandbox/start-sandbox.ts';
import { providerSettings } from '../../../support/stack.ts';
import { type AdminScene, commandsOn, openScene } from '../../scene.ts';

let scene: AdminScene;
let sandbox: Sandbox;
beforeAll(async () => {
  scene = await openScene();
  sandbox = await startSandbox({ port: 0 });
});
afterAll(async () => {
  await sandbox?.close();
  await scene?.close();
});

const commands = (changes: Record<string, string> = {}) =>
  commandsOn({ ...scene.environment, ...providerSettings(sandbox), ...changes });

it('shows who holds a payout account, and what to do where it is not paid', async () => {
  const { admin, json } = commands();
  const merchant = await addMerchant(scene.database, {
    merchant_name: 'Abyssinia Coffee',
    merchant_type: 'RETAIL',
    identifier_type: 1,
    identifier: 'MER-PAYOUT',
    email: 'm@test.example',
    phone: '+251911000000',
    address: 'Addis Ababa',
    payout: { key: 'msisdn', value: '+251911000029' },
  });
  const of = `--merchant ${merchant}`;
  expect((await admin('merchant payout-account list')).out).toContain('not asked yet');
  const first = await admin(`merchant payout-account check ${of}`);
  expect(first).toMatchObject({ code: 0 });
  expect(first.out).toMatch(/gsma +open +Chaltu Bekele/);
  expect(first.out).not.toContain('911000029');

  const account = [
    'merchant',
    'payout-account',
    'set',
    '--merchant',
    String(merchant),
    '--key',
    'msisdn',
  ];
  const holder = ['--value', '0911000029', '--holder', 'Abebe Kebede'];
  expect((await admin([...account, ...holder])).code).toBe(0);
  expect((await admin([...account, ...holder])).out).toContain('No change');
  const other = await admin(`merchant payout-account check ${of}`);
  expect(other.code).toBe(2);
  expect(other.out).toMatch(
    /name-differs +Chaltu Bekele +Abebe Kebede .*not paid: ask the merchant/,
  );

  await admin([...account, '--value', '0911000026']);
  expect((await admin(`merchant payout-account check ${of}`)).code).toBe(2);
  expect(await json('merchant payout-account list')).toMatchObject([
    { merchantId: merchant, state: 'closed', holder: null, remedy: expect.any(String) },
  ]);
  expect(await json('merchant payout-account list --unpaid')).toMatchObject([
    { merchantId: merchant },
  ]);
  await admin([...account, '--value', '0911000030']);
  const silent = await admin(`merchant payout-account check ${of}`);
  expect(silent).toMatchObject({ code: 2, out: expect.stringContaining('gsma does not answer') });
  const unasked = await commands({ MOBILE_MONEY_ACCOUNT_CHECK: 'off' }).admin(
    `merchant payout-account check ${of}`,
  );
  expect(unasked.code).toBe(0);

  const confirm = async () => {
    const [{ facts }] = await json('merchant payout-account list');
    return `merchant payout-account confirm ${of} --provider mpesa --facts ${facts}`;
  };
  expect((await admin(await confirm())).err).toContain('has no registered holder');
  // Somebody else changes the account, and then its holder, after it was looked at.
  for (const [value, holder] of [
    ['0911000031', 'Chaltu Bekele'],
    ['0911000030', 'Chaltu Bekele'],
    ['0911000030', 'Abebe Kebede'],
  ] as const) {
    const seen = await confirm();
    await admin([...account, '--value', value, '--holder', holder]);
    expect((await admin(seen)).err).toContain('It has changed meanwhile');
  }
  expect((await admin(await confirm())).out).toContain('may be paid by mpesa');
  expect(await json('merchant payout-account list')).toMatchObject([
    { provider: 'mpesa', state: 'open', holder: 'Abebe Kebede', remedy: null },
  ]);
  expect(await json('merchant payout-account list --unpaid')).toEqual([]);
  expect(sandbox.books.payouts({})).toEqual([]);
});
