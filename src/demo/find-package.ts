import { z } from 'zod';
import type { Money } from '../domain/money.js';
import { moneyOf } from './amounts.js';
import { DemoError } from './demo-error.js';
import type { Operator } from './operator.js';

/** A package that the partner may sell. */
export interface Package {
  readonly productId: number;
  readonly name: string;
  readonly price: Money;
}

const productsSchema = z.array(
  z.object({
    id: z.number(),
    name: z.string(),
    kind: z.string(),
    operator: z.string().nullable(),
    price: z.string().nullable(),
  }),
);

/**
 * A package for numbers of Ethio telecom.
 *
 * @throws {DemoError} where the partner may sell none
 */
export async function findPackage(operator: Operator, partnerId: string): Promise<Package> {
  const products = await operator({
    title: 'The operator of the service looks up which products the partner may sell.',
    words: ['list', 'products', '--partner', partnerId],
    answer: productsSchema,
  });
  const found = products.find(
    (product) => product.kind === 'PACKAGE' && product.operator === 'ETHIO_TELECOM',
  );
  if (!found?.price) throw new DemoError('The partner may sell no package of Ethio telecom.');
  return { productId: found.id, name: found.name, price: moneyOf(found.price) };
}
