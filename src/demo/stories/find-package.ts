import type { Money } from '../../domain/money.ts';
import { moneyOf } from '../amounts.ts';
import type { DemoPartner } from '../companies.ts';
import { DemoError } from '../demo-error.ts';

/** A package that the partner may sell. */
export interface Package {
  readonly productId: number;
  readonly name: string;
  readonly price: Money;
}

/**
 * The cheapest package for numbers of Ethio telecom.
 *
 * @throws {DemoError} where the partner may sell none
 */
export async function findPackage(partner: DemoPartner): Promise<Package> {
  const query = {
    q: 'productCategory.categoryName=PACKAGES,metadata.operator=ETHIO_TELECOM',
    sortBy: 'productPrice.amount:ASC',
    limit: 1,
  };
  const { items } = await partner(
    'It looks up the cheapest package that it may sell for numbers of Ethio telecom.',
    ({ products }) => products.list(query).firstPage(),
  );
  const [found] = items;
  if (!found) throw new DemoError('The partner may sell no package of Ethio telecom.');
  return {
    productId: found.id,
    name: found.productName,
    price: moneyOf(found.productPrice.amount),
  };
}
