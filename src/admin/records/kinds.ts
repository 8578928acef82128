import { endPrices, type Row } from '../../db/catalogue/companies.ts';
import {
  beginning,
  decimalAmount,
  decimalFromZero,
  email,
  lastMoment,
  oneOf,
  percent,
  recordReference,
  relativePath,
  shownAs,
  telephone,
  text,
  wholeNumber,
} from '../fields.ts';
import { PARTY_VALUE_PROBLEM, partyKey, readParty } from '../record-names.ts';
import {
  needed,
  possible,
  type RecordKind,
  type RecordProblem,
  type Values,
} from './record-kind.ts';

/** Rows that are used while their status says so. */
const byStatus = { column: 'status', active: 'ACTIVE', inactive: 'INACTIVE' } as const;

/** The status of what is offered or not. */
const status = (description: string) =>
  possible('status', oneOf('ACTIVE', 'INACTIVE'), description, {
    whenLeftOut: 'ACTIVE',
    hasOwnCommand: true,
  });

/** An amount that gift vouchers are sold with (specification 2.4). */
export const denomination: RecordKind = {
  kind: 'denomination',
  plural: 'denominations',
  table: 'gift_denominations',
  identity: ['product', 'amount'],
  fields: {
    product: needed('product_id', recordReference, 'Its product of kind GIFT, by id or name', {
      refersTo: 'gift-product',
      isFixed: true,
    }),
    amount: needed(
      'amount_etb',
      decimalAmount,
      'The value of the voucher in ETB, unique for its product',
    ),
    status: status('Whether it is sold'),
  },
  async afterChange(transaction, id, changes) {
    if (!('amount_etb' in changes)) return undefined;
    const endedPrices = await endPrices(transaction, 'denomination_id', id);
    return { details: { endedPrices }, text: `Selling prices ended: ${endedPrices}.` };
  },
  next: (id) => ({
    'At which price each partner sells it': `partner price set --partner PARTNER --denomination ${id} --price-usd PRICE`,
  }),
  activation: {
    ...byStatus,
    details: 'Generated vouchers stay valid, and selling prices are kept.',
  },
  help: {
    createDetails: 'Each partner then sets its own selling price through the API.',
    changeDetails:
      'Generated vouchers keep their amount. A new amount ends the selling prices of partners, ' +
      'because they were set for the old amount: each partner must set a new price.',
    createExamples: ['--product "Gift voucher" --amount 500'],
    changeExamples: ['4 --amount 750'],
    importSample: ['product,amount', 'Gift voucher,500', 'Gift voucher,1000'],
  },
};

/** A merchant with its payout account (specification 2.5). */
export const merchant: RecordKind = {
  kind: 'merchant',
  plural: 'merchants',
  table: 'merchants',
  identity: ['identifier'],
  fields: {
    name: needed('merchant_name', text, 'The name that partners see'),
    type: needed('merchant_type', text, 'Its type, such as RETAIL'),
    identifierType: needed(
      'identifier_type',
      wholeNumber(0, 1_000_000),
      'The type of its identifier, a number',
    ),
    identifier: needed('identifier', text, 'Its unique identifier'),
    email: needed('email', email, 'Its e-mail address'),
    phone: needed('phone', telephone, 'Its telephone number; partners see it partly masked'),
    address: needed('address', text, 'Its postal address'),
    logo: possible('merchant_logo', text, 'The path or address of its logo', { isClearable: true }),
    category: possible(
      'merchant_category_id',
      recordReference,
      'Its merchant category, by id or name',
      { refersTo: 'merchant-category', isClearable: true },
    ),
    serviceFee: possible(
      'service_fee_percent',
      percent,
      'The service fee in percent of the redeemed amount',
      { hasOwnCommand: true },
    ),
    payoutKey: {
      parser: partyKey,
      description: 'The kind of its payout account, such as msisdn',
      hasOwnCommand: true,
    },
    payoutValue: {
      parser: text,
      description: 'The number of its payout account',
      hasOwnCommand: true,
    },
    status: possible('status', oneOf('ACTIVE', 'DEACTIVATED'), 'Whether it is active', {
      whenLeftOut: 'ACTIVE',
      hasOwnCommand: true,
    }),
  },
  check: (_row, given) => payoutProblems(given),
  next: (id, { serviceFee, payoutKey }) => ({
    ...(serviceFee === undefined && {
      'Its fee': `merchant set-service-fee ${id} --percent PERCENT`,
    }),
    ...(payoutKey === undefined && {
      'Where it is paid': `merchant payout-account set --merchant ${id} --key msisdn --value NUMBER`,
    }),
    'Whether the providers can pay it': `merchant payout-account check --merchant ${id}`,
    'Its portal account, where it makes its keys': `merchant invite ${id}`,
    'From where it calls': `access address add ADDRESS --merchant ${id}`,
  }),
  activation: {
    column: 'status',
    active: 'ACTIVE',
    inactive: 'DEACTIVATED',
    details: 'The service completes payments in progress.',
  },
  help: {
    createDetails:
      'Without a service fee no voucher can be claimed at the merchant (error 5001), and without ' +
      'a payout account it cannot be paid. Both can be set later.',
    changeDetails:
      'Other commands change its fee and its payout account (see "merchant set-service-fee" and "merchant payout-account set").',
    createExamples: [
      '--name "Abyssinia Coffee" --type RETAIL --identifier-type 1 ' +
        '--identifier MER-0042 --email owner@coffee.example --phone +251111234567 ' +
        '--address "Bole Road, Addis Ababa" --service-fee 2.5 ' +
        '--payout-key msisdn --payout-value 0911234567',
    ],
    changeExamples: ['3 --phone +251111234567 --category Restaurants'],
    importSample: [
      'identifier,name,type,identifier-type,email,phone,address,service-fee,payout-key,payout-value',
      'MER-0042,Abyssinia Coffee,RETAIL,1,owner@coffee.example,+251111234567,"Bole, Addis Ababa",' +
        '2.5,msisdn,0911234567',
    ],
  },
};

/** A payout account needs both fields. */
function payoutProblems({ payoutKey, payoutValue }: Values): RecordProblem[] {
  if (payoutKey === undefined && payoutValue === undefined) return [];
  if (payoutKey === undefined)
    return [{ field: 'payoutKey', reason: 'is missing: it belongs to the payout value' }];
  if (payoutValue === undefined)
    return [{ field: 'payoutValue', reason: 'is missing: it belongs to the payout key' }];
  return readParty(String(payoutKey), String(payoutValue)) === undefined
    ? [{ field: 'payoutValue', reason: PARTY_VALUE_PROBLEM }]
    : [];
}

/** A category of merchants (specification 2.6). */
const merchantCategory: RecordKind = {
  kind: 'merchant-category',
  plural: 'merchant-categories',
  table: 'merchant_categories',
  identity: ['name'],
  fields: {
    name: needed('category_name', text, 'The name that partners see; no other category has it'),
    status: possible(
      'is_active',
      shownAs(
        'ACTIVE|INACTIVE',
        oneOf('ACTIVE', 'INACTIVE').transform((status) => status === 'ACTIVE'),
      ),
      'Whether it is in use',
      { whenLeftOut: 'ACTIVE', hasOwnCommand: true },
    ),
  },
  activation: {
    column: 'is_active',
    active: true,
    inactive: false,
  },
  help: {
    createExamples: ['--name Restaurants'],
    changeExamples: ['2 --name "Food and drink"'],
    importSample: ['name,status', 'Restaurants,ACTIVE', '"Books, papers and pens",ACTIVE'],
  },
};

const packageTerms = ['operator', 'price', 'providerProductId'] as const;

/** A product (specification 2.8). */
const product: RecordKind = {
  kind: 'product',
  plural: 'products',
  table: 'products',
  identity: ['name', 'operator'],
  fields: {
    name: needed(
      'product_name',
      text,
      'The name that partners see, unique among the products of an operator',
    ),
    description: possible('description', text, 'Its description', { isClearable: true }),
    kind: needed('kind', oneOf('GIFT', 'AIRTIME', 'PACKAGE'), 'Its kind; it cannot be changed', {
      isFixed: true,
    }),
    category: needed(
      'product_category_id',
      recordReference,
      'Its product category, by id or name',
      { refersTo: 'product-category' },
    ),
    pricingType: needed(
      'pricing_type',
      oneOf('COMISSION', 'SERVICE_FEE'),
      'Its pricing type, which partners see for information: no price depends on it',
    ),
    operator: possible(
      'operator',
      oneOf('ETHIO_TELECOM', 'SAFARICOM_ETHIOPIA'),
      'For a package: the operator of the numbers',
    ),
    price: possible('price_amount', decimalAmount, 'For a package: its price in ETB'),
    providerProductId: possible(
      'provider_product_id',
      wholeNumber(1, 2_147_483_647),
      'For a package: its id at the airtime provider',
    ),
    status: status('Whether it is sold'),
  },
  check: termsProblems,
  next: (id, { kind }) => ({
    ...(kind === 'GIFT' && {
      'Its amounts': `product denomination create --product ${id} --amount AMOUNT`,
    }),
    'Who sells it': `partner product grant --partner PARTNER --product ${id}`,
  }),
  activation: byStatus,
  help: {
    createDetails:
      'GIFT is the product of vouchers (see product denomination create), AIRTIME is airtime of any ' +
      'amount, and a PACKAGE is sold at its price to numbers of its operator, once it has a ' +
      'provider product id. Partners may sell a product after "partner product grant".',
    changeDetails: 'A new price applies to top-ups that are ordered from now on.',
    createExamples: [
      '--name "Daily data 1 GB" --kind PACKAGE --category PACKAGES ' +
        '--pricing-type COMISSION --operator SAFARICOM_ETHIOPIA --price 20 ' +
        '--provider-product-id 2004',
      '--name "Gift voucher" --kind GIFT --category 1 --pricing-type SERVICE_FEE',
    ],
    changeExamples: ['6 --price 22.50'],
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

/** A category of products (specification 2.9). */
const productCategory: RecordKind = {
  kind: 'product-category',
  plural: 'product-categories',
  table: 'product_categories',
  identity: ['name'],
  fields: {
    name: needed('category_name', text, 'Its unique name'),
    description: needed('category_description', text, 'Its description'),
    status: status('Whether partners see it'),
  },
  activation: byStatus,
  help: {
    createDetails: 'Partners find packages in the category named PACKAGES.',
    createExamples: ['--name PACKAGES --description "Voice and data packages"'],
    changeExamples: ['3 --description "Data packages"'],
    importSample: ['name,description', 'PACKAGES,Voice and data packages'],
  },
};

/** A promotion that partners show (specification 2.7). */
const promo: RecordKind = {
  kind: 'promo',
  plural: 'promos',
  table: 'promos',
  identity: ['name', 'category'],
  fields: {
    name: needed('promo_name', text, 'The name that partners see, unique in its category'),
    category: needed(
      'product_category_id',
      recordReference,
      'Its product category, by id or name',
      { refersTo: 'product-category' },
    ),
    description: needed('promo_description', text, 'Its description'),
    image: needed(
      'promo_image',
      relativePath,
      'The relative path of its image, such as promos/meskel.png',
    ),
    start: needed('promo_start_date', beginning, 'Its first day (UTC), or its start time'),
    end: needed('promo_end_date', lastMoment, 'Its last day (UTC), or its end time'),
    discount: possible('discount_percentage', percent, 'The discount in percent', {
      whenLeftOut: '0',
    }),
    bonus: possible('bonus_percentage', percent, 'The bonus in percent', { whenLeftOut: '0' }),
    constraint: possible(
      'promo_constraint',
      decimalFromZero,
      'The limit or condition that partners see',
      { whenLeftOut: '0' },
    ),
    status: status('Whether partners see it'),
  },
  check: periodProblems,
  activation: byStatus,
  help: {
    createDetails:
      'The service shows a promo to partners and changes no price: partners grant its benefit.',
    createExamples: [
      '--name "Meskel gifts" --category "Gift vouchers" ' +
        '--description "Five percent off" --image promos/meskel.png ' +
        '--start 2026-12-01 --end 2026-12-31 --discount 5',
    ],
    changeExamples: ['2 --end 2027-01-15'],
    importSample: [
      'name,category,description,image,start,end,discount',
      'Meskel gifts,Gift vouchers,Five percent off,promos/meskel.png,2026-12-01,2026-12-31,5',
    ],
  },
};

function periodProblems({ promo_start_date: start, promo_end_date: end }: Row): RecordProblem[] {
  if (!(start instanceof Date && end instanceof Date) || start < end) return [];
  return [{ field: 'end', reason: 'must be after the start' }];
}

/** Every kind of record, in the order of help. */
export const recordKinds: readonly RecordKind[] = [
  merchant,
  merchantCategory,
  product,
  productCategory,
  denomination,
  promo,
];
