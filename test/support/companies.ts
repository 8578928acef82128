import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { lockCompany } from '../../src/db/access/company-access.ts';
import {
  addMerchant,
  addPartner,
  addProduct,
  addPublicKey,
  addSourceAddresses,
  type NewMerchant,
} from '../../src/db/catalogue/companies.ts';
import { type NewPrice, replacePrice } from '../../src/db/catalogue/prices.ts';
import { addRow, type Database } from '../../src/db/connection.ts';
import { addTransfers } from '../../src/db/ledger/ledger.ts';
import { parseMoney } from '../../src/domain/money.ts';
import type { Company } from '../../src/domain/vouchers/voucher.ts';
import { issueApiKey } from '../../src/operations/api-keys.ts';
import type { Stack as WholeStack } from './stack.ts';

/** As much of a stack as companies need. */
interface Stack extends Pick<WholeStack, 'database' | 'digests'> {
  readonly config: Pick<WholeStack['config'], 'process'>;
}

export interface TestPartner {
  readonly id: number;
  readonly apiKey: string;
  /** Of 100, 500 and 1000 ETB, each with a price; and one of 750 ETB without. */
  readonly denominations: Readonly<Record<'100' | '500' | '1000' | 'unpriced', number>>;
  readonly giftProductId: number;
}

export interface TestMerchant {
  readonly id: number;
  readonly identifier: string;
  readonly apiKey: string;
  readonly privateKey: KeyObject;
  /** The mobile-money account that it is paid to. */
  readonly payoutNumber: string;
}

const LOOPBACK = ['127.0.0.0/8', '::1'];

/** One more API key of a company. */
export async function makeKey(stack: Stack, company: Company): Promise<string> {
  const { database, digests, config: settings } = stack;
  return (await issueApiKey(database, company, { name: 'test' }, { digests, settings })).key;
}

/** A partner with access to a gift product of its own, money in its gift wallet, and a key. */
export async function makePartner(
  stack: Stack,
  options: { readonly giftWallet?: string } = {},
): Promise<TestPartner> {
  const { database } = stack;
  const id = await addPartner(database, `Partner ${randomUUID()}`);
  const company: Company = { kind: 'partner', id };
  await addSourceAddresses(database, company, LOOPBACK);
  const categoryId = await addRow(database, 'product_categories', {
    category_name: `GIFTS ${randomUUID()}`,
    category_description: 'Gifts',
  });
  const giftProductId = await addProduct(
    database,
    {
      product_name: 'Gift voucher',
      kind: 'GIFT',
      pricing_type: 'SERVICE_FEE',
      product_category_id: categoryId,
    },
    id,
  );
  const denomination = async (amount: string, priceUsd?: string) => {
    const denominationId = await addRow(database, 'gift_denominations', {
      product_id: giftProductId,
      amount_etb: amount,
    });
    if (priceUsd !== undefined) {
      await setPrice(database, {
        partnerId: id,
        denominationId,
        merchantId: null,
        sellingPriceUsd: priceUsd,
      });
    }
    return denominationId;
  };
  await deposit(stack, id, options.giftWallet ?? '100000');
  return {
    id,
    giftProductId,
    apiKey: await makeKey(stack, company),
    denominations: {
      100: await denomination('100', '1'),
      500: await denomination('500', '4.75'),
      1000: await denomination('1000', '9.4'),
      unpriced: await denomination('750'),
    },
  };
}

/** Puts money into a wallet of a partner. */
export const deposit = (
  stack: Pick<Stack, 'database'>,
  partnerId: number,
  amount: string,
  wallet: 'gift' | 'airtime' = 'gift',
): Promise<void> =>
  stack.database.transaction().execute((transaction) =>
    addTransfers(transaction, [
      {
        operationId: `deposit:${randomUUID()}`,
        partnerId,
        step: 'deposit',
        debit: 'funding',
        credit: wallet,
        amount: parseMoney(amount),
      },
    ]),
  );

/** Service fees of so many ETB, as redemptions bring them. */
export const addServiceFees = (
  { database }: Pick<Stack, 'database'>,
  amount: string,
): Promise<void> =>
  database.transaction().execute((transaction) =>
    addTransfers(transaction, [
      {
        operationId: `fees:${randomUUID()}`,
        // Of no partner: both accounts are the platform's.
        partnerId: 0,
        step: 'correction',
        debit: 'funding',
        credit: 'service-fees',
        amount: parseMoney(amount),
      },
    ]),
  );

let payoutNumbers = 0;

/**
 * A merchant with a fee of 2.5 %, a key, a public key, and a payout number of its own. The last three
 * digits of that number (`payoutSuffix`) decide how the sandbox ends payments to it.
 */
export async function makeMerchant(
  stack: Stack,
  options: Partial<NewMerchant> & { readonly payoutSuffix?: string } = {},
): Promise<TestMerchant> {
  const { database } = stack;
  const { payoutSuffix = '000', ...row } = options;
  const identifier = randomUUID();
  payoutNumbers += 1;
  const payout = row.payout ?? {
    key: 'msisdn',
    value: `+25191${String(payoutNumbers).padStart(4, '0')}${payoutSuffix}`,
  };
  const id = await addMerchant(database, {
    merchant_name: 'Test Merchant',
    merchant_type: 'RETAIL',
    identifier_type: 1,
    identifier,
    email: 'merchant@test.example',
    phone: '+251911000000',
    address: 'Addis Ababa',
    service_fee_percent: '2.5',
    ...row,
    payout,
  });
  const company: Company = { kind: 'merchant', id };
  await addSourceAddresses(database, company, LOOPBACK);
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
  await addPublicKey(database, id, publicKey.export({ type: 'spki', format: 'pem' }).toString());
  return {
    id,
    identifier,
    apiKey: await makeKey(stack, company),
    privateKey,
    payoutNumber: payout.value,
  };
}

/** Sets a partner's selling price, whatever it is now. */
export const setPrice = (database: Database, price: NewPrice) =>
  database.transaction().execute(async (transaction) => {
    await lockCompany(transaction, { kind: 'partner', id: price.partnerId });
    return replacePrice(transaction, price);
  });
