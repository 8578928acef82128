import { denomination } from './denomination.ts';
import { merchant } from './merchant.ts';
import { merchantCategory } from './merchant-category.ts';
import { product } from './product.ts';
import { productCategory } from './product-category.ts';
import { promo } from './promo.ts';
import type { RecordKind } from './record-kind.ts';

/** Every kind of record, in the order of help. */
export const recordKinds: readonly RecordKind[] = [
  merchant,
  merchantCategory,
  product,
  productCategory,
  denomination,
  promo,
];
