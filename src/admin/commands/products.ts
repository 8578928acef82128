import { addProduct } from '../../db/companies.js';
import { listProducts } from '../../db/operator-lists.js';
import { formatMoney, type Money } from '../../domain/money.js';
import type { Operator } from '../../domain/operator.js';
import { AdminError } from '../admin-error.js';
import { changeCommand, lookCommand } from '../command.js';
import {
  amount,
  argument,
  id,
  oneOf,
  optional,
  required,
  text,
  textOrNothing,
  wholeNumber,
} from '../fields.js';
import { changeSubject, created, requireSubject } from '../subjects.js';
import { column, money, numbers, table } from '../tables.js';

const operator = oneOf('ETHIO_TELECOM', 'SAFARICOM_ETHIOPIA');
const pricingType = oneOf('COMISSION', 'SERVICE_FEE');
const status = oneOf('ACTIVE', 'INACTIVE');
const providerProductId = wholeNumber(1, 2_147_483_647);

/** What only packages have. */
interface PackageTerms {
  readonly operator: Operator | undefined;
  readonly price: Money | undefined;
  readonly providerProductId: number | undefined;
}

/** @throws {AdminError} where a package lacks its terms, or another product has some */
function checkTerms(kind: string, terms: PackageTerms, isNew: boolean): void {
  const given = [terms.operator, terms.price, terms.providerProductId];
  if (kind !== 'PACKAGE' && given.some((value) => value !== undefined))
    throw new AdminError(
      `Only a PACKAGE has --operator, --price and --provider-product-id; this is ${kind}.`,
    );
  if (kind === 'PACKAGE' && isNew && (terms.operator === undefined || terms.price === undefined))
    throw new AdminError('A PACKAGE needs --operator and --price.');
}

export const createProduct = changeCommand({
  name: 'create product',
  summary: 'Add a product',
  details:
    'GIFT is what vouchers are sold as (then see create denomination), AIRTIME is airtime of any ' +
    'amount, a PACKAGE is sold at its price to numbers of its operator, and only once it has a ' +
    'provider product id. Partners may sell it after grant access.',
  fields: {
    name: required(text, 'The name that partners see'),
    description: optional(text, 'What it is'),
    kind: required(oneOf('GIFT', 'AIRTIME', 'PACKAGE'), 'What it is sold as; it cannot be changed'),
    category: required(id, 'The id of its product category'),
    pricingType: required(pricingType, 'How it is priced, spelled as partners see it'),
    operator: optional(operator, 'Of a package: the operator whose numbers it is for'),
    price: optional(amount, 'Of a package: its price in ETB'),
    providerProductId: optional(providerProductId, 'Of a package: its id at the airtime provider'),
  },
  examples: [
    'create product --name "Daily data 1 GB" --kind PACKAGE --category 3 ' +
      '--pricing-type COMISSION --operator SAFARICOM_ETHIOPIA --price 20 --provider-product-id 2004',
    'create product --name "Gift voucher" --kind GIFT --category 1 --pricing-type SERVICE_FEE',
  ],
  async change(transaction, input) {
    checkTerms(input.kind, input, true);
    const category = await requireSubject(transaction, 'product-category', input.category);
    const newId = await addProduct(transaction, {
      product_name: input.name,
      description: input.description ?? null,
      kind: input.kind,
      product_category_id: input.category,
      pricing_type: input.pricingType,
      operator: input.operator ?? null,
      price_amount: input.price === undefined ? null : formatMoney(input.price),
      provider_product_id: input.providerProductId ?? null,
    });
    return created('product', newId, {
      name: input.name,
      kind: input.kind,
      category: category.name,
      operator: input.operator ?? null,
      price: input.price === undefined ? null : formatMoney(input.price),
      providerProductId: input.providerProductId ?? null,
    });
  },
});

export const changeProduct = changeCommand({
  name: 'change product',
  summary: 'Change a product',
  details: 'A new price holds for top-ups that are ordered from now on.',
  fields: {
    id: argument(id, 'The id of the product'),
    name: optional(text, 'The name that partners see'),
    description: optional(textOrNothing, 'What it is; "" for nothing'),
    category: optional(id, 'The id of its product category'),
    pricingType: optional(pricingType, 'How it is priced'),
    status: optional(status, 'Whether it is sold'),
    operator: optional(operator, 'Of a package: the operator whose numbers it is for'),
    price: optional(amount, 'Of a package: its price in ETB'),
    providerProductId: optional(providerProductId, 'Of a package: its id at the airtime provider'),
  },
  examples: ['change product 6 --price 22.50', 'change product 6 --status INACTIVE'],
  async change(transaction, input) {
    const { row } = await requireSubject(transaction, 'product', input.id);
    checkTerms(String(row.kind), input, false);
    if (input.category !== undefined)
      await requireSubject(transaction, 'product-category', input.category);
    return changeSubject(transaction, 'product', input.id, {
      product_name: input.name,
      description: input.description,
      product_category_id: input.category,
      pricing_type: input.pricingType,
      status: input.status,
      operator: input.operator,
      price_amount: input.price === undefined ? undefined : formatMoney(input.price),
      provider_product_id: input.providerProductId,
    });
  },
});

type ListedProduct = Awaited<ReturnType<typeof listProducts>>[number];

/** Products as a table. */
export const productTable = (products: readonly ListedProduct[]): string =>
  table(products, [
    numbers('id', (row) => row.id),
    column('name', (row) => row.name),
    column('kind', (row) => row.kind),
    column('category', (row) => row.category),
    column('operator', (row) => row.operator),
    numbers('price', (row) => row.price && money(row.price)),
    numbers('provider id', (row) => row.providerProductId),
    column('status', (row) => row.status),
  ]);

export const listProductsCommand = lookCommand({
  name: 'list products',
  summary: 'Show the products, or those that one partner may sell',
  fields: { partner: optional(id, 'The id of a partner: only what it may sell') },
  examples: ['list products', 'list products --partner 1'],
  async look(database, { partner }) {
    if (partner !== undefined) await requireSubject(database, 'partner', partner);
    const products = await listProducts(database, partner);
    return { json: products, text: productTable(products) };
  },
});
