import { repairTitles } from '../repairs/repair-titles.ts';
import type { AdminCommand } from './command.ts';
import { repairCommands } from './groups.ts';

/** A command as help lists it. Its code is loaded when it is called, or when its own help is asked for. */
export interface ListedCommand {
  /** A group, perhaps a part of it, and a verb, such as "partner price set". */
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<AdminCommand>;
}

/** Lists commands of a file by their names, with their summaries. */
const inFile = (
  load: () => Promise<{ readonly commands: Readonly<Record<string, AdminCommand>> }>,
  summaries: Readonly<Record<string, string>>,
): ListedCommand[] =>
  Object.entries(summaries).map(([name, summary]) => ({
    name,
    summary,
    // A test compares the names of each file with this table.
    load: async () => (await load()).commands[name] as AdminCommand,
  }));

/** Lists the commands of repairs. */
const repairs = (Object.keys(repairCommands) as (keyof typeof repairCommands)[]).map(
  (kind): ListedCommand => ({
    name: repairCommands[kind],
    summary: repairTitles[kind],
    load: async () => (await import('./commands/repairs.ts')).repairCommand(kind),
  }),
);

/** Every command, by the file that has it, in the order of help. */
export const allCommands: readonly ListedCommand[] = [
  inFile(() => import('./commands/lists.ts'), {
    'desk list': 'Show what waits for a person, the most urgent first',
    'partner list': 'Show all partners with their balances',
    'merchant list': 'Show all merchants',
    'merchant category list': 'Show the categories of merchants',
    'product list': 'Show the products, or those of one partner',
    'product category list': 'Show the categories of products',
    'product denomination list': 'Show the amounts of gift vouchers',
    'product promo list': 'Show the promos, including inactive and past ones',
    'voucher list': 'Show the newest vouchers',
    'top-up list': 'Show the newest top-ups',
  }),
  inFile(() => import('./commands/find.ts'), {
    'desk find': 'Find the voucher, top-up or payment of a customer, and show its history',
  }),
  inFile(() => import('./commands/repairs.ts'), {
    'desk repair list': 'Show the newest repairs',
    'desk repair show': 'Show who asked for a repair, who confirmed it, and its result',
  }),
  inFile(() => import('./commands/show.ts'), {
    'partner show': 'Show a partner: balances, limits, products, keys, addresses',
    'merchant show': 'Show a merchant: fee, payout account, keys, addresses',
    'voucher show': 'Show the history of a voucher, its money and the next step',
    'top-up show': 'Show the history of a top-up, its money and the next step',
  }),
  inFile(() => import('./commands/records.ts'), {
    'merchant create': 'Add a merchant',
    'merchant change': 'Change a merchant',
    'merchant import': 'Add and change merchants from a file',
    'merchant deactivate': 'Stop new vouchers, claims and redemptions of a merchant',
    'merchant activate': 'Reactivate a merchant',
    'merchant delete': 'Delete a merchant that is deactivated',
    'merchant restore': 'Restore a deleted merchant, still deactivated',
    'merchant category create': 'Add a category of merchants',
    'merchant category change': 'Change a category of merchants',
    'merchant category import': 'Add and change categories from a file',
    'merchant category deactivate': 'Take a category out of use; its merchants stay as they are',
    'merchant category activate': 'Take a category into use again',
    'merchant category delete': 'Delete a category that is deactivated',
    'merchant category restore': 'Restore a deleted category, still deactivated',
    'product create': 'Add a product',
    'product change': 'Change a product',
    'product import': 'Add and change products from a file',
    'product deactivate': 'Stop the sale of a product; earlier sales stay valid',
    'product activate': 'Resume the sale of a product',
    'product delete': 'Delete a product that is deactivated',
    'product restore': 'Restore a deleted product, still deactivated',
    'product category create': 'Add a category of products',
    'product category change': 'Change a category of products',
    'product category import': 'Add and change categories from a file',
    'product category deactivate': 'Hide a category from partners; its products do not change',
    'product category activate': 'Show a category to partners again',
    'product category delete': 'Delete a category that is deactivated',
    'product category restore': 'Restore a deleted category, still deactivated',
    'product denomination create': 'Add an amount for gift vouchers',
    'product denomination change': 'Change the amount of a denomination',
    'product denomination import': 'Add and change denominations from a file',
    'product denomination deactivate': 'Stop the sale of vouchers of a denomination',
    'product denomination activate': 'Resume the sale of vouchers of a denomination',
    'product denomination delete': 'Delete a denomination that is deactivated',
    'product promo create': 'Add a promo',
    'product promo change': 'Change a promo',
    'product promo import': 'Add and change promos from a file',
    'product promo deactivate': 'Hide a promo from partners',
    'product promo activate': 'Show a promo to partners again',
    'product promo delete': 'Delete a promo that is deactivated',
    'product promo restore': 'Restore a deleted promo, still deactivated',
  }),
  inFile(() => import('./commands/companies.ts'), {
    'partner create': 'Add a partner, with its wallets',
    'partner change': 'Change the name of a partner',
    'partner suspend': 'Suspend a partner and its vouchers at once',
    'partner reinstate': 'Reinstate a suspended partner',
    'partner set-message-language': 'Set the language of messages to owners of vouchers',
    'merchant set-service-fee': 'Set the service fee of a merchant',
    'merchant payout-account set': 'Set the payout account of a merchant',
  }),
  inFile(() => import('./commands/prices.ts'), {
    'partner product grant': 'Let a partner sell a product',
    'partner product revoke': 'Stop a partner from selling a product',
    'partner price list': 'Show the selling prices of a partner',
    'partner price set': 'Set the selling price of a denomination, in USD',
  }),
  inFile(() => import('./commands/invitations.ts'), {
    'merchant invite': 'Send a merchant the link that activates its portal account',
    'merchant list-invitations': 'Show the invitations of a merchant and their messages',
  }),
  inFile(() => import('./commands/payout-accounts.ts'), {
    'merchant payout-account list':
      'Show the payout accounts of all merchants, and the answers of providers',
    'merchant payout-account check': 'Ask the providers for the account and its holder',
    'merchant payout-account confirm': 'Confirm that the registered holder has the account',
  }),
  inFile(() => import('./commands/deposits.ts'), {
    'money deposit': 'Credit a payment of a partner to one of its wallets',
  }),
  inFile(() => import('./commands/statement.ts'), {
    'money statement': 'Show each transfer of a wallet, and explain its balance',
  }),
  inFile(() => import('./commands/reports.ts'), {
    'desk list-undelivered-emails': 'Show the e-mails of the last day that failed',
    'money report': 'Report the business and the books of a day',
    'money report-recipient list': 'Show who gets the report, and whether the last one arrived',
    'money report-recipient add': 'Send the report to an e-mail address',
    'money report-recipient remove': 'Stop sending the report to an e-mail address',
  }),
  inFile(() => import('./commands/provider-statements.ts'), {
    'money reconcile': "Compare a provider's statement of a day with our books",
  }),
  inFile(() => import('./commands/check-ledger.ts'), {
    'money check-ledger': 'Check that the money and the states of all rows agree',
  }),
  inFile(() => import('./commands/archive.ts'), {
    'money archive list': 'Show the months with transfers in files',
    'money archive create': 'Move the transfers of old months to files',
    'money archive restore': 'Bring the transfers of a month back from their files',
  }),
  inFile(() => import('./commands/cases.ts'), {
    'cases list': 'Show the open cases, the oldest first',
    'cases show': 'Show what the providers say of a case, and what each choice moves',
  }),
  inFile(() => import('./commands/providers.ts'), {
    'providers check': 'Log in to each configured provider',
    'providers list-balances': 'Show our balances, as last read',
    'providers list-states': 'Show the circuit breakers of the running workers',
    'providers list-refused-payments': 'Show which merchants are not paid, and why',
    'providers route list': 'Show the routes in the order in which they are asked',
    'providers route add': 'Let a provider serve messages, payments or top-ups',
    'providers route remove': 'Remove a route',
    'providers route enable': 'Use a disabled route again',
    'providers route disable': 'Stop using a route until it is enabled again',
  }),
  inFile(() => import('./commands/audit.ts'), {
    'access audit': 'Show the audit log, newest first',
  }),
  inFile(() => import('./commands/access.ts'), {
    'access api-key list': 'Show the API keys of a company, including revoked ones',
    'access api-key create': 'Create an API key and show it once',
    'access api-key rotate': 'Replace an API key with a new one; both work for a while',
    'access api-key revoke': 'Revoke an API key and all its tokens',
    'access api-key set-scopes': 'Set what an API key may do',
    'access address list': 'Show the addresses of a company',
    'access address add': 'Allow an address, a range or a name',
    'access address remove': 'Refuse an address from now on',
    'access public-key list': 'Show the public keys of a merchant, including revoked ones',
    'access public-key add': 'Accept the signatures of a public key',
    'access public-key revoke': 'Refuse signatures by a public key from now on',
  }),
  inFile(() => import('./commands/limits.ts'), {
    'partner set-daily-limits': 'Set how much a partner may spend in a day',
    'partner set-low-balance': 'Set the balance below which balance.low is sent',
    'access list-refused-calls': 'Show the newest calls that were refused',
    'access budget list': 'Show the companies that reached a daily budget',
    'access budget set': 'Set the daily budgets of a company',
    'access api-key set-daily-limits': 'Set how much an API key of a partner may spend in a day',
  }),
  inFile(() => import('./commands/accounts.ts'), {
    'access account list': 'Show the portal accounts of a company',
    'access account create': 'Create a portal account for a person',
    'access account reset-password': 'Reset the password of a person, and end all sessions',
    'access account reset-second-factor':
      'Remove the second factor of a person, and end all sessions',
    'access account disable': 'Disable a portal account at once',
    'access staff list': 'Show the accounts of people of the service',
    'access staff create': 'Create an account for a person who signs in at /support',
    'access staff set-role': 'Set the role of a person, which says what the person may do',
    'access staff reset':
      'Reset the password and the second factor of a person, and end all sessions',
    'access staff disable': 'Disable the account of a person at once',
  }),
  inFile(() => import('./commands/webhooks.ts'), {
    'access webhook list': 'Show the webhooks of a company',
    'access webhook add': 'Deliver the events of a company to an address',
    'access webhook pause': 'Stop the deliveries of a webhook',
    'access webhook resume': 'Continue the deliveries of a webhook',
    'access webhook remove': 'Remove a webhook with its secrets',
    'access webhook rotate-secret': 'Give a webhook a new secret; both sign for a while',
    'access webhook test': 'Send a test event to a webhook',
    'access webhook list-deliveries': 'Show the newest deliveries with the answers to them',
    'access webhook send-again': 'Deliver events of a webhook again',
  }),
  inFile(() => import('./commands/privacy.ts'), {
    'privacy erase-number': 'Erase a phone number everywhere',
    'privacy list-number-storage': 'Count phone numbers by the keys that seal them',
    'privacy reseal-numbers': 'Seal all phone numbers with the first key of DATA_KEYS',
    'privacy list-digest-keys': 'Count secrets by the keys of their digests',
    'privacy rotate-digests': 'Renew digests of codes with the first key of DIGEST_KEYS',
  }),
  inFile(() => import('./commands/recovery.ts'), {
    'recovery fence': 'Fence a restored database, or a promoted standby',
    'recovery status': 'Show whether the fence stands, and what is left to do',
    'recovery list': 'Compare what the providers did with our books',
    'recovery book': 'Book what the restored database lacks',
    'recovery lift': 'Lift the fence: the service works again',
    'recovery renew-event-epoch': 'Refuse the cursors of the event log from before a restore',
  }),
  repairs,
].flat();
