import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commandsOn } from '../../admin/scene.ts';
import { makeMerchant, makePartner } from '../../support/companies.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { makeAccount, signedIn } from '../portal/portal-client.ts';

let stack: Stack;

beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack?.stop());

const clientOf = async (id: number) =>
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

describe('a merchant', () => {
  test('sees its fee and its account, masked, on the overview and beside its payouts', async () => {
    const { id } = await makeMerchant(stack);
    const operator = commandsOn({ DATABASE_URL: stack.urlFor('operator') });
    await operator.json(`merchant set-service-fee --merchant ${id} --percent 3.25`);
    await operator.json(
      `merchant payout-account set --merchant ${id} --key msisdn --value 0911234567`,
    );
    const client = await clientOf(id);
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
    const { html } = await (await clientOf(id)).get('/portal/payouts');
    expect(termsIn(html)).toEqual({ 'Service fee': 'Not set', 'Paid to': 'Not set' });
    expect(html).toContain('cannot be redeemed at your shops yet');
  });

  test('sees no terms of others, nor does a partner see any', async () => {
    const { id } = await makePartner(stack);
    const partner = await signedIn(stack, await makeAccount(stack, { kind: 'partner', id }));
    expect((await partner.get('/portal')).html).not.toContain('Your fee and your account');
  });
});
