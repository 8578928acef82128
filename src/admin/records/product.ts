import type { Row } from '../../db/catalogue/company-changes.ts';
import { decimalAmount, oneOf, reference, text, wholeNumber } from '../fields.ts';
import type { RecordKind, RecordProblem, Values } from './record-kind.ts';

const packageTerms = ['operator', 'price', 'providerProductId'] as const;

/** A product (specification 2.8). */
export const product: RecordKind = {
  kind: 'product',
  plural: 'products',
  table: 'products',
  identity: ['name', 'operator'],
  fields: {
    name: {
      column: 'product_name',
      parser: text,
      description: 'The name that partners see, unique among the products of an operator',
      isRequired: true,
    },
    description: {
      column: 'description',
      parser: text,
      description: 'Its description',
      isClearable: true,
    },
    kind: {
      column: 'kind',
      parser: oneOf('GIFT', 'AIRTIME', 'PACKAGE'),
      description: 'Its kind; it cannot be changed',
      isRequired: true,
      isFixed: true,
    },
    category: {
      column: 'product_category_id',
      parser: reference,
      description: 'Its product category, by id or name',
      refersTo: 'product-category',
      isRequired: true,
    },
    pricingType: {
      column: 'pricing_type',
      parser: oneOf('COMISSION', 'SERVICE_FEE'),
      description: 'Its pricing type, which partners see for information: no price depends on it',
      isRequired: true,
    },
    operator: {
      column: 'operator',
      parser: oneOf('ETHIO_TELECOM', 'SAFARICOM_ETHIOPIA'),
      description: 'For a package: the operator of the numbers',
    },
    price: {
      column: 'price_amount',
      parser: decimalAmount,
      description: 'For a package: its price in ETB',
    },
    providerProductId: {
      column: 'provider_product_id',
      parser: wholeNumber(1, 2_147_483_647),
      description: 'For a package: its id at the airtime provider',
    },
    status: {
      column: 'status',
      parser: oneOf('ACTIVE', 'INACTIVE'),
      description: 'Whether it is sold',
      whenLeftOut: 'ACTIVE',
      hasOwnCommand: true,
    },
  },
  check: termsProblems,
  activation: {
    column: 'status',
    active: 'ACTIVE',
    inactive: 'INACTIVE',
  },
  help: {
    createDetails:
      'GIFT is the product of vouchers (see create denomination), AIRTIME is airtime of any ' +
      'amount, and a PACKAGE is sold at its price to numbers of its operator, once it has a ' +
      'provider product id. Partners may sell a product after grant access.',
    changeDetails: 'A new price applies to top-ups that are ordered from now on.',
    createExamples: [
      'create product --name "Daily data 1 GB" --kind PACKAGE --category PACKAGES ' +
        '--pricing-type COMISSION --operator SAFARICOM_ETHIOPIA --price 20 ' +
        '--provider-product-id 2004',
      'create product --name "Gift voucher" --kind GIFT --category 1 --pricing-type SERVICE_FEE',
    ],
    changeExamples: ['change product 6 --price 22.50'],
    importSample: [
      'name,kind,category,pricing-type,operator,price,provider-product-id',
      'Daily data 1 GB,PACKAGE,PACKAGES,COMISSION,SAFARICOM_ETHIOPIA,20,2004',
    ],
  },
};

/** Only a package has package terms, and it needs the required ones. */
function termsProblems({ kind, operator, price_amount }: Row, given: Values): RecordProblem[] {
  if (kind === undefined) return [];
  if (kind !== 'PACKAGE')
    return packageTerms
      .filter((field) => given[field] !== undefined)
      .map((field) => ({ field, reason: `is only for a PACKAGE; this is ${kind}` }));
  return Object.entries({ operator, price: price_amount })
    .filter(([, value]) => value === undefined || value === null)
    .map(([field]) => ({ field, reason: 'is missing: a PACKAGE needs it' }));
}
