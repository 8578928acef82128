import { randomUUID } from 'node:crypto';
import { addProduct, addProductCategory } from '../../src/db/companies.js';
import { addTransfers } from '../../src/db/ledger.js';
import { parseMoney } from '../../src/domain/money.js';
import type { TestPartner } from './companies.js';
import type { Stack as WholeStack } from './stack.js';

/** As much of a stack as products and deposits need. */
type Stack = Pick<WholeStack, 'database'>;

export interface TopupProducts {
  /** 15 ETB. */
  readonly ethioPackage: number;
  readonly safaricomPackage: number;
  /** Dearer than any test's wallet. */
  readonly dearPackage: number;
}

/** Airtime and packages of both operators, which the partner has access to. */
export async function makeTopupProducts(
  stack: Stack,
  partner: TestPartner,
): Promise<TopupProducts> {
  const { database } = stack;
  const product_category_id = await addProductCategory(database, {
    name: `TOPUPS ${randomUUID()}`,
    description: 'Airtime and packages',
  });
  const product = { product_category_id, pricing_type: 'COMISSION' as const };
  await addProduct(database, { ...product, product_name: 'Airtime', kind: 'AIRTIME' }, partner.id);
  const packageOf = (
    operator: 'ETHIO_TELECOM' | 'SAFARICOM_ETHIOPIA',
    price_amount: string,
    provider_product_id: number,
  ) =>
    addProduct(
      database,
      {
        ...product,
        product_name: `Package ${price_amount}`,
        kind: 'PACKAGE',
        operator,
        price_amount,
        provider_product_id,
      },
      partner.id,
    );
  return {
    ethioPackage: await packageOf('ETHIO_TELECOM', '15', 2001),
    safaricomPackage: await packageOf('SAFARICOM_ETHIOPIA', '20', 2004),
    dearPackage: await packageOf('ETHIO_TELECOM', '250000', 2003),
  };
}

/** Puts money into a partner's airtime wallet. */
export const depositAirtime = (stack: Stack, partnerId: number, amount: string): Promise<void> =>
  stack.database.transaction().execute((transaction) =>
    addTransfers(transaction, [
      {
        operationId: `deposit:${randomUUID()}`,
        partnerId,
        step: 'deposit',
        debit: 'funding',
        credit: 'airtime',
        amount: parseMoney(amount),
      },
    ]),
  );
