import type { Insertable } from 'kysely';
import type { NewMerchant } from '../db/catalogue/companies.ts';
import type { ProductsTable, PromosTable } from '../db/schema/all-tables.ts';

type DemoProduct = Omit<Insertable<ProductsTable>, 'product_category_id'> & {
  readonly denominations?: readonly { readonly amount: string; readonly priceUsd?: string }[];
};

interface DemoCategory {
  readonly name: string;
  readonly description: string;
  readonly products: readonly DemoProduct[];
  readonly promos: readonly Omit<Insertable<PromosTable>, 'product_category_id'>[];
}

type DemoMerchant = NewMerchant & { readonly category: string };

const DAY_MS = 86_400_000;
const daysFromNow = (days: number) => new Date(Date.now() + days * DAY_MS);

const packageOf = (
  operator: 'ETHIO_TELECOM' | 'SAFARICOM_ETHIOPIA',
  product_name: string,
  price_amount: string,
  provider_product_id: number,
): DemoProduct => ({
  kind: 'PACKAGE',
  operator,
  product_name,
  description: null,
  pricing_type: 'COMISSION',
  price_amount,
  provider_product_id,
});

const productCategories: readonly DemoCategory[] = [
  {
    name: 'GIFTS',
    description: 'Gift vouchers',
    products: [
      {
        kind: 'GIFT',
        product_name: 'Gift voucher',
        description: 'A prepaid digital gift card in ETB',
        pricing_type: 'SERVICE_FEE',
        denominations: [
          { amount: '100', priceUsd: '1.00' },
          { amount: '250', priceUsd: '2.40' },
          { amount: '500', priceUsd: '4.75' },
          { amount: '1000', priceUsd: '9.40' },
          { amount: '5000', priceUsd: '46.50' },
          // Has no price, to try "no price defined".
          { amount: '750' },
        ],
      },
    ],
    // Promos promise nothing: the service applies none to a price.
    promos: [
      {
        promo_name: 'Meskel gifts',
        promo_image: 'promos/meskel-gifts.png',
        promo_description: 'A voucher is a gift for Meskel',
        promo_start_date: daysFromNow(-10),
        promo_end_date: daysFromNow(80),
      },
    ],
  },
  {
    name: 'AIRTIME',
    description: 'Airtime of any amount',
    products: [
      {
        kind: 'AIRTIME',
        product_name: 'Airtime',
        description: 'Airtime for Ethio telecom and Safaricom Ethiopia',
        pricing_type: 'COMISSION',
      },
    ],
    promos: [
      {
        promo_name: 'Airtime days',
        promo_image: 'promos/airtime-days.png',
        promo_description: 'Ended last month',
        promo_start_date: daysFromNow(-60),
        promo_end_date: daysFromNow(-30),
        status: 'INACTIVE',
      },
    ],
  },
  {
    name: 'PACKAGES',
    description: 'Voice and data packages',
    products: [
      packageOf('ETHIO_TELECOM', 'Daily data 500 MB', '15', 2001),
      packageOf('ETHIO_TELECOM', 'Weekly voice 100 minutes', '60', 2002),
      packageOf('ETHIO_TELECOM', 'Monthly data 30 GB', '650', 2003),
      packageOf('SAFARICOM_ETHIOPIA', 'Daily data 1 GB', '20', 2004),
      packageOf('SAFARICOM_ETHIOPIA', 'Monthly voice 1000 minutes', '400', 2005),
      // Exceeds the demo wallet, to try "not enough money".
      packageOf('SAFARICOM_ETHIOPIA', 'Yearly enterprise data', '250000', 2006),
    ],
    promos: [
      {
        promo_name: 'Data week',
        promo_image: 'promos/data-week.png',
        promo_description: 'Packages for a week of films',
        promo_start_date: daysFromNow(-2),
        promo_end_date: daysFromNow(12),
      },
    ],
  },
];

/**
 * Name, category, service fee in percent, and the last three digits of the payout number, which
 * select the scenario of the sandbox.
 */
const merchantRows = [
  ['Abyssinia Coffee House', 'Restaurants', '2.5', '000'],
  ['Shoa Supermarket', 'Supermarkets', '2', '000'],
  ['Bole Electronics', 'Electronics', '3', '000'],
  ['Sheger Books', 'Books', '1.5', '000'],
  ['Habesha Fashion', 'Clothing', '4', '000'],
  ['Entoto Pharmacy', 'Health', '1', '000'],
  ['Lalibela Restaurant', 'Restaurants', '2.5', '000'],
  ['Tana Supermarket', 'Supermarkets', '2', '000'],
  ['Axum Jewellery', 'Clothing', '5', '000'],
  ['Awash Furniture', 'Home', '3', '006'],
  ['Semien Outdoor', 'Clothing', '3.5', '014'],
  ['Harar Spices', 'Supermarkets', '0', '008'],
  ['Gondar Toys', 'Home', '2.25', '009'],
] as const;

const merchants: readonly DemoMerchant[] = merchantRows.map(
  ([merchant_name, category, service_fee_percent, payoutSuffix], index): DemoMerchant => {
    const number = String(index + 1).padStart(2, '0');
    return {
      merchant_name,
      category,
      service_fee_percent,
      merchant_type: 'RETAIL',
      identifier_type: 1,
      identifier: `MER-00${number}`,
      email: `merchant${number}@demo.test`,
      phone: `+2519110010${number}`,
      address: 'Addis Ababa',
      payout: { key: 'msisdn', value: `+2519110${number}${payoutSuffix}` },
    };
  },
);

/** The merchant whose keys are in `demo.json`. */
const DEMO_MERCHANT_IDENTIFIER = 'MER-0001';

/** The data of the demo database. */
export const demoCatalogue = { productCategories, merchants, DEMO_MERCHANT_IDENTIFIER };
