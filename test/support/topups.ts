import { randomUUID } from 'node:crypto';
import { addProduct } from '../../src/db/catalogue/companies.ts';
import { recordTopup } from '../../src/db/topups/requests.ts';
import { topupId } from '../../workflows/workflow-ids.ts';
import type { TestPartner } from './companies.ts';
import type { Stack as WholeStack } from './stack.ts';

/** As much of a stack as products and deposits need. */
type Stack = Pick<WholeStack, 'database'>;

export interface TopupProducts {
  /** 15 ETB. */
  readonly ethioPackage: number;
  readonly safaricomPackage: number;
}

/** Airtime and packages of both operators, which the partner has access to. */
export async function makeTopupProducts(
  stack: Stack,
  partner: TestPartner,
): Promise<TopupProducts> {
  const { database } = stack;
  const product = {
    product_category_id: await categoryCalled(database, 'PACKAGES'),
    pricing_type: 'COMISSION' as const,
  };
  await addProduct(
    database,
    {
      ...product,
      product_category_id: await categoryCalled(database, 'AIRTIME'),
      product_name: 'Airtime',
      kind: 'AIRTIME',
    },
    partner.id,
  );
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
  };
}

/** All partners' products are in the same categories, by whose names they are listed. */
async function categoryCalled(database: Stack['database'], name: string): Promise<number> {
  await database
    .insertInto('product_categories')
    .values({ category_name: name, category_description: name })
    .onConflict((conflict) => conflict.column('category_name').doNothing())
    .execute();
  const { id } = await database
    .selectFrom('product_categories')
    .select('id')
    .where('category_name', '=', name)
    .executeTakeFirstOrThrow();
  return id;
}

/** Records a top-up as the API does before it starts the workflow; airtime without a product. */
export async function recordedTopup(
  { database, numbers }: Pick<WholeStack['api']['services'], 'database' | 'numbers'>,
  request: { readonly operationId: string; readonly requestDigest: string },
  topup: {
    readonly partnerId: number;
    readonly amount: string;
    readonly msisdn: string;
    readonly productId?: number | null;
  },
): Promise<number> {
  const { partnerId, amount, msisdn, productId = null } = topup;
  const recorded = await recordTopup(
    database,
    { ...request, requestId: randomUUID(), company: { kind: 'partner', id: partnerId } },
    {
      kind: productId === null ? 'AIRTIME' : 'PACKAGE',
      productId,
      amount,
      msisdn: numbers.store(msisdn),
      exchangeRate: '57.2',
      currency: 'USD',
      originatingCountry: 'US',
      foreignCurrencyAmount: null,
      workflowIdFormat: topupId('%s', request.operationId),
    },
  );
  if (!recorded.topup) throw new Error('The top-up was not recorded');
  return recorded.topup.transactionId;
}
