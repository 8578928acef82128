import { OPERATORS, READ, type Rights, WORKERS } from './rights.ts';

/** Changes of a company's access lock its row, for which PostgreSQL requires a right to update. */
const COMPANIES: Rights = { ...OPERATORS, api: 'select, update (updated_at)' };

/** Rights on companies, products and prices. */
export const catalogueRights = {
  partners: { ...COMPANIES, api: 'select, update (updated_at, message_language)' },
  merchants: COMPANIES,
  merchant_categories: OPERATORS,
  product_categories: OPERATORS,
  products: OPERATORS,
  partner_products: OPERATORS,
  promos: OPERATORS,
  gift_denominations: OPERATORS,
  // Partners set their prices; an old one stays as history.
  partner_gift_denomination_prices: {
    ...READ,
    api: 'select, insert, update (replaced_at)',
    operator: 'select, insert, update (replaced_at)',
  },
  merchant_payout_accounts: OPERATORS,
  payout_account_checks: WORKERS,
  reference_data_version: READ,
  price_list_versions: READ,
} as const satisfies Readonly<Record<string, Rights>>;
