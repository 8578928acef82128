import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type MerchantClient,
  merchantClient,
  newestCode,
  type PartnerClient,
  partnerClient,
} from '../../support/clients.js';
import {
  makeMerchant,
  makePartner,
  type TestMerchant,
  type TestPartner,
} from '../../support/companies.js';
import { type Stack, startStack } from '../../support/stack.js';

let stack: Stack;
let partner: TestPartner;
let merchant: TestMerchant;
let asPartner: PartnerClient;
let asMerchant: MerchantClient;

beforeAll(async () => {
  stack = await startStack();
  partner = await makePartner(stack);
  merchant = await makeMerchant(stack);
  asPartner = await partnerClient(stack, partner);
  asMerchant = await merchantClient(stack, merchant);
});
afterAll(() => stack?.stop());

const generate = (msisdn: string | null, extra: object = {}) =>
  asPartner.post('/topup-transactions/generate-voucher', {
    denominationId: partner.denominations[500],
    merchantId: merchant.id,
    msisdn,
    ...extra,
  });

test('a merchant redeems a whole voucher: the merchant is paid and every cent is booked', async () => {
  const { body: generated } = await generate('0911234567');
  expect(generated).toMatchObject({ success: true, statusCode: 200 });
  const { voucherCode } = generated.data.voucher;

  const claim = await asMerchant.post('/topup-transactions/initiate-claim', {
    voucherCode,
    metadata: '{"till":7}',
  });
  expect(claim.body).toMatchObject({
    success: true,
    statusCode: 200,
    data: { metadata: '{"till":7}' },
  });

  const redeemed = await asMerchant.post('/topup-transactions/redeem-gift', {
    voucherCode,
    verificationCode: await newestCode(stack, '+251911234567'),
  });
  expect(redeemed.body).toMatchObject({ success: true, statusCode: 200 });

  const books = stack.sandbox.books;
  expect(books).toBeDefined();
  const balance = await asPartner.get('/info/get-current-balance');
  expect(balance.body.data).toEqual({
    walletBalance: 0,
    eMoneyWalletBalance: 99_500,
    reservedBalance: 0,
  });
  const detail = await asMerchant.get(`/topup-transactions/${voucherCode}`);
  expect(detail.body.data.voucher).toMatchObject({
    status: 'REDEEMED',
    remainingBalance: '0.000000',
  });
});
