import { afterAll, beforeAll, expect, test } from 'vitest';
import { MerchantClient, PartnerClient } from '../../../clients/typescript/src/index.ts';
import { conformingFetch, newestCode } from '../../support/clients.ts';
import { makeMerchant, makePartner } from '../../support/companies.ts';
import { type Stack, startStack } from '../../support/stack.ts';

let stack: Stack;

beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack?.stop());

test('a merchant redeems a whole voucher: the merchant is paid and every cent is booked', async () => {
  const { apiKey, denominations } = await makePartner(stack);
  const { id: merchantId, privateKey, ...merchant } = await makeMerchant(stack);
  const asPartner = new PartnerClient({
    baseUrl: `${stack.url}/api/v1/client`,
    apiKey,
    fetch: conformingFetch,
  });
  const asMerchant = new MerchantClient({
    baseUrl: `${stack.url}/api/v1/merchant/client`,
    apiKey: merchant.apiKey,
    privateKey,
    fetch: conformingFetch,
  });

  const { voucher } = await asPartner.vouchers.generate({
    denominationId: denominations[500],
    merchantId,
    msisdn: '0911234567',
  });
  const { voucherCode } = voucher;
  const claim = await asMerchant.vouchers.initiateClaim({ voucherCode, metadata: '{"till":7}' });
  expect(claim).toMatchObject({ metadata: '{"till":7}' });
  const verificationCode = await newestCode(stack, '+251911234567');
  await asMerchant.vouchers.redeem({ voucherCode, verificationCode });

  expect(stack.sandbox.books).toBeDefined();
  expect(await asPartner.readBalances()).toEqual({
    walletBalance: 0,
    eMoneyWalletBalance: 99_500,
    reservedBalance: 0,
  });
  const detail = await asMerchant.vouchers.read(voucherCode);
  expect(detail.voucher).toMatchObject({ status: 'REDEEMED', remainingBalance: '0.000000' });
});
