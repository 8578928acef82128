import type { RepairKindName } from '../repairs/repair-titles.ts';

/** How people call the command line. */
export const PROGRAM = 'npm run admin --';

/** The commands of the repairs that one person may ask for; two people ask and confirm the others at /support. */
export const repairCommands = {
  'cancel-voucher': 'voucher cancel',
  'extend-voucher': 'voucher extend',
  'resend-message': 'voucher resend-message',
  'settle-payment': 'voucher settle-payment',
  'reverse-redemption': 'voucher reverse-redemption',
  'extend-claim': 'voucher claim extend',
  'cancel-claim': 'voucher claim cancel',
  'release-claim': 'voucher claim release',
  'retry-top-up': 'top-up retry',
  'settle-top-up': 'top-up settle',
  'correct-deposit': 'money correct-deposit',
  'credit-goodwill': 'money credit-goodwill',
  'settle-case': 'cases settle',
} as const satisfies Readonly<Partial<Record<RepairKindName, string>>>;

/** The groups of commands by their subjects, each followed by its parts, in the order of help. */
export const commandGroups: Readonly<Record<string, string>> = {
  desk: 'The queue of the support desk, its search and its repairs',
  'desk repair': 'Repairs and their results',
  partner: 'Partners: what they sell, at which prices, within which limits',
  'partner product': 'The products that a partner may sell',
  'partner price': 'The selling prices of a partner',
  merchant: 'Merchants: fees, payout accounts, invitations and categories',
  'merchant payout-account': 'Payout accounts, and the answers of providers about them',
  'merchant category': 'Categories of merchants',
  product: 'Products, their categories, denominations and promos',
  'product category': 'Categories of products',
  'product denomination': 'Amounts of gift vouchers',
  'product promo': 'Promos, which partners show',
  voucher: 'Vouchers with their claims, payments and messages',
  'voucher claim': 'The claim of a voucher',
  'top-up': 'Top-ups and their retries',
  money: 'Deposits, statements, reports and the books',
  'money archive': 'Old transfers in files',
  'money report-recipient': 'People who get the report of each day by e-mail',
  cases: 'Open cases, where a provider and our books differ',
  providers: 'Providers: credentials, balances, states and routes',
  'providers route': 'The choice of the provider for messages, payments and top-ups',
  access: 'Keys, addresses, people, webhooks, budgets and the audit log',
  'access api-key': 'API keys of partners and merchants',
  'access address': 'Addresses from which partners and merchants may call',
  'access public-key': 'Public keys for the signatures of merchants',
  'access account': 'Portal accounts of people of partners and merchants',
  'access staff': 'Accounts of support staff and operators',
  'access webhook': 'Addresses of companies that get events',
  'access budget': 'Daily budgets of a company for messages and wrong codes',
  privacy: 'Phone numbers, and the keys that protect stored data',
  recovery: 'The steps after a restore of the database',
};
