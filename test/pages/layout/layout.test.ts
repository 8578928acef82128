import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commandsOn } from '../../admin/scene.ts';
import { makeMerchant, makePartner } from '../../support/companies.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { hiddenFields, makeAccount, signedIn } from '../portal/portal-client.ts';

let stack: Stack;

beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack?.stop());

test('there is no menu while the password is to be changed first', async () => {
  const { id } = await makePartner(stack);
  for (const mustChangePassword of [true, false]) {
    const account = await makeAccount(stack, { kind: 'partner', id }, { mustChangePassword });
    const { html } = await (await signedIn(stack, account)).get('/portal/account');
    expect(html.includes('<nav')).toBe(!mustChangePassword);
    expect(html.includes('href="#menu"')).toBe(!mustChangePassword);
  }
});

test('who signs out after the session has ended is signed out', async () => {
  const { id } = await makePartner(stack);
  const client = await signedIn(stack, await makeAccount(stack, { kind: 'partner', id }));
  const fields = hiddenFields((await client.get('/portal')).html, '/portal/sign-out');
  expect(await client.post('/portal/sign-out', fields)).toMatchObject({ status: 303 });
  const again = await client.post('/portal/sign-out', fields);
  expect(again).toMatchObject({ status: 303, location: '/portal/sign-in?out=yes' });
  const other = await client.post('/portal/addresses', fields);
  expect(other.location).toBe('/portal/sign-in?ended=yes');
});

const merchantClientOf = async (id: number) =>
  signedIn(stack, await makeAccount(stack, { kind: 'merchant', id }));

/** The terms as names and values. */
const termsIn = (html: string) => {
  const [card = ''] = html.split('Your fee and your account')[1]?.split('</section>') ?? [];
  return Object.fromEntries(
    [...card.matchAll(/<dt>([^<]+)<\/dt><dd>(.*?)<\/dd>/gs)].map(([, name, value = '']) => [
      name,
      value.replace(/<[^>]+>/g, '').trim(),
    ]),
  );
};

describe('the terms of a merchant', () => {
  test('sees its fee and its account, masked, on the overview and beside its payouts', async () => {
    const { id } = await makeMerchant(stack);
    const operator = commandsOn({ DATABASE_URL: stack.urlFor('operator') });
    await operator.json(`merchant set-service-fee ${id} --percent 3.25`);
    await operator.json(
      `merchant payout-account set --merchant ${id} --key msisdn --value 0911234567`,
    );
    const client = await merchantClientOf(id);
    for (const path of ['/portal', '/portal/payouts']) {
      const { html } = await client.get(path);
      expect(termsIn(html)).toMatchObject({
        'Service fee': '3.25 % of the redeemed amount',
        'Paid to': 'Mobile money +2519*****567',
      });
      expect(html).not.toContain('911234567');
      expect(html).not.toContain('cannot be redeemed at your shops yet');
    }
    await operator.json(
      `merchant payout-account set --merchant ${id} --key accountid --value 1000123456789`,
    );
    expect(termsIn((await client.get('/portal')).html)['Paid to']).toBe('Account 10001*****789');
    const activity = (await client.get('/portal/activity')).html;
    expect(activity).toContain('Set the payout account');
    expect(activity).not.toContain('1000123456789');
    expect(activity).not.toContain('Changed the data of the company');
    const { identifier } = await stack.database
      .selectFrom('merchants')
      .select('identifier')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const folder = await mkdtemp(join(tmpdir(), 'terms-'));
    const file = join(folder, 'merchants.csv');
    await writeFile(file, `identifier,payout-key,payout-value\n${identifier},msisdn,0911234568\n`);
    await operator.json(['merchant', 'import', '--file', file]);
    await rm(folder, { recursive: true });
    expect((await client.get('/portal/activity')).html).toContain(
      'Changed the data of the company',
    );
  });

  test('without a fee or an account is told that it cannot be paid yet', async () => {
    const { id } = await makeMerchant(stack);
    await stack.database
      .updateTable('merchants')
      .set({ service_fee_percent: null })
      .where('id', '=', id)
      .execute();
    await stack.database
      .updateTable('merchant_payout_accounts')
      .set({ replaced_at: new Date() })
      .where('merchant_id', '=', id)
      .execute();
    const { html } = await (await merchantClientOf(id)).get('/portal/payouts');
    expect(termsIn(html)).toEqual({ 'Service fee': 'Not set', 'Paid to': 'Not set' });
    expect(html).toContain('cannot be redeemed at your shops yet');
  });

  test('sees no terms of others, nor does a partner see any', async () => {
    const { id } = await makePartner(stack);
    const partner = await signedIn(stack, await makeAccount(stack, { kind: 'partner', id }));
    expect((await partner.get('/portal')).html).not.toContain('Your fee and your account');
  });
});
