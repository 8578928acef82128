import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { replacePayoutAccounts } from '../../../src/db/catalogue/payout-accounts.ts';
import { commandsOn, payoutFacts } from '../../admin/scene.ts';
import type { TestMerchant } from '../../support/companies.ts';
import type { Client } from './gift-scene.ts';
import { type RedemptionScene, redeemToEnd, setRedemptionScene } from './redemption-scene.ts';

let scene: RedemptionScene;

const untouched = { status: 'ACTIVE', remaining: '100.000000', held: '0.000000' };

describe('a payout account, before the first payment to it', () => {
  beforeAll(async () => {
    scene = await setRedemptionScene();
  });
  afterAll(() => scene?.stop());

  const checksOf = ({ id }: TestMerchant) =>
    scene.stack.database
      .selectFrom('payout_account_checks as done')
      .innerJoin('merchant_payout_accounts as account', 'account.id', 'done.payout_account_id')
      .select(['done.state', 'done.holder_name', 'done.checked_at'])
      .where('account.merchant_id', '=', id)
      .orderBy('account.id')
      .execute();

  const replace = (merchant: TestMerchant, value: string, holder?: string) =>
    scene.stack.database
      .transaction()
      .execute((transaction) =>
        replacePayoutAccounts(transaction, [
          { merchantId: merchant.id, key: 'msisdn', value, holder: holder ?? null },
        ]),
      );

  async function redeemed(merchant: TestMerchant, client: Client) {
    const gift = await scene.gift({ merchant, owner: null });
    const { body } = await redeemToEnd(client, gift);
    return { gift, body };
  }

  test.concurrent('is asked for once, and its holder is recorded', async () => {
    const { merchant, client } = await scene.payee('merchant');
    for (let payment = 0; payment < 2; payment += 1)
      expect((await redeemed(merchant, client)).body.statusCode).toBe(200);
    const [first, ...others] = await checksOf(merchant);
    expect(others).toEqual([]);
    expect(first).toMatchObject({ state: 'open', holder_name: 'Abebe Kebede' });
    const paidAt = scene.payoutsTo(merchant).map(({ at }) => new Date(at).getTime());
    expect(paidAt).toHaveLength(2);
    // The second payment has not asked again.
    expect(first?.checked_at.getTime()).toBeLessThanOrEqual(Math.min(...paidAt));
  });

  test.concurrent('that takes no money is not paid, and the voucher keeps its value', async () => {
    const { merchant, client } = await scene.payee('merchant', { payoutSuffix: '026' });
    const { gift, body } = await redeemed(merchant, client);
    expect(body.statusCode).toBe(5031);
    expect(body.message).toContain('does not exist, or takes no money');
    expect(await scene.voucher(gift)).toMatchObject(untouched);
    expect(await scene.transfersOf(gift)).toEqual(['hold 100.00', 'void 100.00']);
    expect(scene.payoutsTo(merchant)).toEqual([]);
    expect(await checksOf(merchant)).toMatchObject([{ state: 'closed' }]);
    // The new account is asked for, too, and pays the same voucher.
    await replace(merchant, merchant.payoutNumber.replace(/...$/, '000'));
    expect((await redeemToEnd(client, gift)).body.statusCode).toBe(200);
    expect(await checksOf(merchant)).toMatchObject([{ state: 'closed' }, { state: 'open' }]);
  });

  test.concurrent('is not paid where somebody else holds it than the operator registered', async () => {
    const { merchant, client } = await scene.payee('partner', { payoutSuffix: '029' });
    await replace(merchant, merchant.payoutNumber, 'Abebe Kebede');
    const { gift, body } = await redeemed(merchant, client);
    expect(body.message).toContain('belongs to somebody else');
    expect(body.message).not.toContain('Chaltu');
    expect(await scene.voucher(gift)).toMatchObject(untouched);
    expect(scene.payoutsTo(merchant)).toEqual([]);
    await replace(merchant, merchant.payoutNumber, 'CHALTU Bekele');
    expect((await redeemToEnd(client, gift)).body.statusCode).toBe(200);
    expect(scene.payoutsTo(merchant)).toHaveLength(1);
  });

  test.concurrent('is paid all the same while nobody answers for it, unless its holder must be known', async () => {
    const { merchant, client } = await scene.payee('merchant', { payoutSuffix: '030' });
    expect((await redeemed(merchant, client)).body.statusCode).toBe(200);
    expect(await checksOf(merchant)).toEqual([]);
    expect(scene.payoutsTo(merchant)).toHaveLength(1);
    await replace(merchant, merchant.payoutNumber, 'Abebe Kebede');
    const { gift, body } = await redeemed(merchant, client);
    expect(body.statusCode).toBe(5031);
    expect(await scene.voucher(gift)).toMatchObject(untouched);
    expect(scene.payoutsTo(merchant)).toHaveLength(1);
  });

  test.concurrent('confirmed for another provider, is still not paid by the one that asks; the operator hears it', async () => {
    const { merchant, client } = await scene.payee('merchant', { payoutSuffix: '031' });
    await replace(merchant, merchant.payoutNumber, 'Abebe Kebede');
    const { gift } = await redeemed(merchant, client);
    const commands = commandsOn({ DATABASE_URL: scene.stack.urlFor('operator') });
    const facts = await payoutFacts(commands, merchant.id);
    const confirm = (provider: string) =>
      commands.admin(
        `merchant payout-account confirm --merchant ${merchant.id} --provider ${provider} ${facts}`,
      );
    expect((await confirm('mpesa')).out).toContain(
      'by mpesa from now on. gsma does not pay it without a confirmation of its own.',
    );
    expect((await redeemToEnd(client, gift)).body.statusCode).toBe(5031);
    expect((await confirm('gsma')).out).toMatch(/by gsma from now on\.\n$/);
    expect((await redeemToEnd(client, gift)).body.statusCode).toBe(200);
  });

  test('operators see who is not paid, by whom and why, beside those who are', async () => {
    const { merchant, client } = await scene.payee('merchant', { payoutSuffix: '026' });
    await redeemed(merchant, client);
    await redeemed(merchant, client);
    await replace(merchant, merchant.payoutNumber.replace(/...$/, '000'));
    await redeemed(merchant, client);
    const other = await scene.payee('merchant', { payoutSuffix: '004' });
    await redeemed(other.merchant, other.client);
    const { json, admin } = commandsOn({ DATABASE_URL: scene.stack.urlFor('operator') });
    const found = (await json('providers list-refused-payments')).filter(
      ({ merchantId }: { merchantId: number }) =>
        [merchant.id, other.merchant.id].includes(merchantId),
    );
    const amounts = { smallest: '97.500000', largest: '97.500000', provider: 'gsma' };
    expect(found).toMatchObject([
      { ...amounts, merchantId: merchant.id, refused: 2, paid: 1 },
      { ...amounts, merchantId: other.merchant.id, refused: 1, paid: 0 },
    ]);
    expect(found[0].message).toContain('does not exist, or takes no money');
    expect(found[1].message).toContain('could not make the payment');
    const newest = await json('providers list-refused-payments --newest 1');
    expect(newest).toMatchObject([{ merchantId: other.merchant.id, refused: 1 }]);
    const { out } = await admin('providers list-refused-payments');
    expect(out).not.toContain(merchant.payoutNumber.slice(-9));
  });
});
