import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPasswordHashes } from '../../../src/crypto/password-hashes.ts';
import type { DemoFile } from '../../../src/local/start/demo-data.ts';
import { makeDemoAccounts } from '../../../src/local/start/demo-data.ts';
import { portalClient } from '../../pages/portal/portal-client.ts';
import { signInAtSupport } from '../../pages/staff/staff-client.ts';
import { makeMerchant, makePartner } from '../../support/companies.ts';
import { type Stack, startStack } from '../../support/stack.ts';

/** As costly as those of the test's portal. */
const passwords = createPasswordHashes(14);
let stack: Stack;
let demo: DemoFile;

beforeAll(async () => {
  stack = await startStack();
  const [partner, merchant] = [await makePartner(stack), await makeMerchant(stack)];
  const company = (email: string) => ({
    baseUrl: '',
    portalUrl: `${stack.url}/portal`,
    portalEmail: email,
    portalPassword: `a password of ${email}`,
  });
  demo = {
    partner: { ...company('partner@demo.test'), apiKey: partner.apiKey },
    merchant: {
      ...company('merchant@demo.test'),
      apiKey: merchant.apiKey,
      privateKeyPem: '',
      merchantId: merchant.id,
    },
    staff: { ...company('staff@demo.test'), portalUrl: `${stack.url}/support` },
    sandboxUrl: '',
    temporalUiUrl: '',
    temporalAddress: '',
  };
});
afterAll(() => stack?.stop());

const signIn = async (who: 'partner' | 'merchant', file = demo) => {
  const client = portalClient(stack);
  const { portalEmail: email, portalPassword: password } = file[who];
  const { status } = await client.signIn({ email, password });
  return status === 303 ? (await client.get('/portal')).html : status;
};

test('the accounts of the demo file are made', async () => {
  expect(await signIn('partner')).toBe(403);
  await makeDemoAccounts(stack.database, stack.digests, demo, passwords);
  expect(await signIn('partner')).toContain('Partner</span>');
  expect(await signIn('merchant')).toContain('Merchant</span>');
});

test('the account of staff is made, and must set up a second factor first', async () => {
  const client = portalClient(stack);
  const { portalEmail: email, portalPassword: password } = demo.staff;
  expect((await signInAtSupport(client, { email, password })).status).toBe(303);
  expect((await client.get('/support')).location).toBe('/support/account/second-factor');
});

test('another start keeps them', async () => {
  await makeDemoAccounts(stack.database, stack.digests, demo, passwords);
  expect(await signIn('partner')).toContain('partner@demo.test');
});

test('a demo file with other passwords is made true', async () => {
  const other = { ...demo, partner: { ...demo.partner, portalPassword: 'quite another one' } };
  await makeDemoAccounts(stack.database, stack.digests, other, passwords);
  expect(await signIn('partner', other)).toContain('partner@demo.test');
  expect(await signIn('partner')).toBe(403);
});
