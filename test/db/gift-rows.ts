import { randomBytes, randomUUID } from 'node:crypto';
import { addMerchant, addPartner, addProduct } from '../../src/db/catalogue/companies.ts';
import type { Database } from '../../src/db/connection.ts';
import { addRow } from '../../src/db/connection.ts';
import type { GenerationRequest, GenerationSubject } from '../../src/db/vouchers/generation.ts';
import { setPrice } from '../support/companies.ts';
import { addVoucher as addVoucherOf } from '../support/vouchers.ts';
import { transferOf, write } from './ledger-writing.ts';

/** A partner that can sell a gift of 100 ETB at a merchant, with 1000 ETB in its gift wallet. */
export interface GiftSeller {
  readonly partnerId: number;
  readonly merchantId: number;
  readonly denominationId: number;
}

/** Adds a seller of gifts; its denomination has no price yet. */
export async function addGiftSeller(database: Database): Promise<GiftSeller> {
  const partnerId = await addPartner(database, 'Partner');
  const categoryId = await addRow(database, 'product_categories', {
    category_name: `GIFTS ${randomUUID()}`,
    category_description: 'Gifts',
  });
  const productId = await addProduct(
    database,
    {
      product_name: 'Gift voucher',
      kind: 'GIFT',
      pricing_type: 'SERVICE_FEE',
      product_category_id: categoryId,
    },
    partnerId,
  );
  const denominationId = await addRow(database, 'gift_denominations', {
    product_id: productId,
    amount_etb: '100',
  });
  await write(database, transferOf(partnerId, { amount: 1_000_000_000n }));
  return { partnerId, merchantId: await addShop(database), denominationId };
}

/** Adds a merchant that vouchers can be restricted to. */
export const addShop = (database: Database): Promise<number> =>
  addMerchant(database, {
    merchant_name: 'Shop',
    merchant_type: 'RETAIL',
    identifier_type: 1,
    identifier: randomUUID(),
    email: 'shop@test.example',
    phone: '+251911000000',
    address: 'Addis Ababa',
    service_fee_percent: '2.5',
  });

/** Sets a price of the seller's denomination; without a merchant, for all of them. */
export const priceGift = (
  database: Database,
  seller: GiftSeller,
  sellingPriceUsd: string,
  merchantId: number | null = null,
) => setPrice(database, { ...seller, merchantId, sellingPriceUsd });

/** A request for an anonymous, restricted voucher. */
export const giftRequest = (
  subject: GenerationSubject,
  changes: Partial<GenerationRequest> = {},
): GenerationRequest => ({
  ...subject,
  operationId: randomUUID(),
  requestId: randomUUID(),
  requestDigest: 'digest',
  serialNumber: randomUUID(),
  codeDigest: randomBytes(32),
  codeCiphertext: 'sealed',
  owner: null,
  numberCount: undefined,
  isRestricted: true,
  validityDays: 365,
  exchangeRate: null,
  currency: null,
  originatingCountry: null,
  foreignCurrencyAmount: null,
  ...changes,
});

/** Adds an anonymous voucher of 100 ETB that is valid for so many days. */
export const addVoucher = async (
  database: Database,
  seller: GiftSeller,
  validityDays?: number,
): Promise<number> => (await addVoucherOf(database, seller, { amount: '100', validityDays })).id;
