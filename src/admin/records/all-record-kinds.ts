import { denomination } from './denomination.js';
import { merchant } from './merchant.js';
import { merchantCategory } from './merchant-category.js';
import { product } from './product.js';
import { productCategory } from './product-category.js';
import { promo } from './promo.js';
import type { RecordKind } from './record-kind.js';

/** Every kind of record, in the order of help. */
export const recordKinds: readonly RecordKind[] = [
  merchant,
  merchantCategory,
  product,
  productCategory,
  denomination,
  promo,
];
