import { z } from 'zod';
import type { Money } from '../../domain/money.js';
import { moneyOf } from '../amounts.js';
import type { DemoCaller } from '../caller.js';
import { DemoError } from '../demo-error.js';

/** A package that the partner may sell. */
export interface Package {
  readonly productId: number;
  readonly name: string;
  readonly price: Money;
}

const productsSchema = z.object({
  data: z.array(
    z.object({
      id: z.number(),
      productName: z.string(),
      productPrice: z.object({ amount: z.string() }),
    }),
  ),
});

/**
 * The cheapest package for numbers of Ethio telecom.
 *
 * @throws {DemoError} where the partner may sell none
 */
export async function findPackage(partner: DemoCaller): Promise<Package> {
  const { data } = await partner({
    title: 'It looks up the cheapest package that it may sell for numbers of Ethio telecom.',
    path:
      '/product-list?q=productCategory.categoryName=PACKAGES,metadata.operator=ETHIO_TELECOM' +
      '&sortBy=productPrice.amount:ASC&limit=1',
    answer: productsSchema,
  });
  const [found] = data;
  if (!found) throw new DemoError('The partner may sell no package of Ethio telecom.');
  return {
    productId: found.id,
    name: found.productName,
    price: moneyOf(found.productPrice.amount),
  };
}
