import { expect } from 'vitest';
import { partnerClient } from '../../support/clients.ts';
import { makePartner } from '../../support/companies.ts';
import { type Client, GENERATE } from '../gift/gift-scene.ts';
import { type RefusalSide, type Table, UNKNOWN_ID } from './gift-refusals.ts';

const generate = (side: RefusalSide, extra: object = {}, client: Client = side.asPartner) =>
  client.post(GENERATE, {
    denominationId: side.partner.denominations[100],
    merchantId: side.merchant.id,
    msisdn: '0911234550',
    ...extra,
  });

/** What `generate-voucher` refuses. */
export const generateVoucherRefusals: Table = {
  operation: 'generate-voucher',
  rows: [
    {
      reason: 'merchant-unspecified',
      arrange: async (side) => () => generate(side, { merchantId: undefined }),
    },
    {
      reason: 'merchant-unspecified',
      when: 'other fields are missing, too',
      arrange: async (side) => () => side.asPartner.post(GENERATE, {}),
    },
    {
      reason: 'product-not-accessible',
      arrange: async (side) => {
        const partner = await makePartner(side.stack);
        await side.stack.database
          .deleteFrom('partner_products')
          .where('partner_id', '=', partner.id)
          .execute();
        const client = await partnerClient(side.stack, partner);
        return () => generate(side, { denominationId: partner.denominations[100] }, client);
      },
    },
    {
      reason: 'product-not-accessible',
      when: 'a denomination of another partner’s product',
      arrange: async (side) => () => generate(side, {}, side.otherClient),
    },
    {
      reason: 'denomination-not-found',
      statusCode: { partner: 404 },
      arrange: async (side) => () => generate(side, { denominationId: UNKNOWN_ID }),
    },
    {
      reason: 'denomination-not-found',
      statusCode: { partner: 404 },
      when: 'inactive',
      arrange: async (side) => {
        const { denominations } = await makePartner(side.stack);
        await side.stack.database
          .updateTable('gift_denominations')
          .set({ status: 'INACTIVE' })
          .where('id', '=', denominations[100])
          .execute();
        return () => generate(side, { denominationId: denominations[100] });
      },
    },
    {
      reason: 'merchant-not-found',
      statusCode: { partner: 404 },
      arrange: async (side) => () => generate(side, { merchantId: UNKNOWN_ID }),
    },
    {
      reason: 'merchant-not-found',
      statusCode: { partner: 404 },
      when: 'by its identifier',
      arrange: async (side) => () =>
        generate(side, { merchantId: undefined, merchantIdentifier: 'nobody' }),
    },
    {
      reason: 'merchant-not-found',
      statusCode: { partner: 404 },
      when: 'deactivated',
      arrange: async (side) => () => generate(side, { merchantId: side.deactivated.id }),
    },
    {
      reason: 'price-not-defined',
      arrange: async (side) => () =>
        generate(side, { denominationId: side.partner.denominations.unpriced }),
    },
    {
      reason: 'price-not-defined',
      when: 'only for another merchant',
      arrange: async (side) => {
        const price = await side.asPartner.post('/partner-gift-denomination-prices', {
          denominationId: side.partner.denominations.unpriced,
          sellingPriceUsd: '7.10',
          merchantId: side.otherMerchant.id,
        });
        expect(price.status).toBe(200);
        return () => generate(side, { denominationId: side.partner.denominations.unpriced });
      },
    },
    {
      reason: 'money-insufficient',
      headers: { Allow: /^POST$/ },
      arrange: async (side) => {
        const partner = await makePartner(side.stack, { giftWallet: '499.99' });
        const client = await partnerClient(side.stack, partner);
        return () => generate(side, { denominationId: partner.denominations[500] }, client);
      },
    },
  ],
};

/** What the prices of denominations refuse. */
export const denominationPriceRefusals: Table = {
  operation: 'set-denomination-price',
  rows: [
    {
      reason: 'denomination-not-found',
      statusCode: { partner: 404 },
      arrange: async (side) => () =>
        side.asPartner.post('/partner-gift-denomination-prices', {
          denominationId: UNKNOWN_ID,
          sellingPriceUsd: '1',
        }),
    },
    {
      reason: 'merchant-not-found',
      statusCode: { partner: 404 },
      arrange: async (side) => () =>
        side.asPartner.post('/partner-gift-denomination-prices', {
          denominationId: side.partner.denominations[100],
          sellingPriceUsd: '1',
          merchantId: UNKNOWN_ID,
        }),
    },
  ],
};

/** What the lists refuse. */
export const listRefusals: Table = {
  operation: 'list',
  rows: [
    {
      reason: 'page-not-found',
      statusCode: { partner: 404 },
      arrange: async (side) => () => side.asPartner.get('/merchants?page=2&limit=100'),
    },
  ],
};
