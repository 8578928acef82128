import { repairTitles } from '../repairs/repair-titles.ts';
import type { AdminCommand } from './command.ts';

/** A command as help lists it. Its code is loaded when it is called, or when its own help is asked for. */
export interface ListedCommand {
  /** A verb and a noun, such as "create partner", or one word. */
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<AdminCommand>;
}

/** Lists the commands that a file exports: their names and summaries. */
const inFile = (
  load: () => Promise<object>,
  summaries: Readonly<Record<string, string>>,
): ListedCommand[] =>
  Object.entries(summaries).map(([name, summary]) => ({
    name,
    summary,
    load: async () => commandNamed(name, await load()),
  }));

/** @throws where the file exports no such command, alone or in a list */
function commandNamed(name: string, file: object): AdminCommand {
  const found = Object.values(file)
    .flat()
    .find((one) => typeof one === 'object' && one.name === name);
  if (found) return found;
  throw new Error(`The file of the command "${name}" does not export it`);
}

/** All but the repair that always needs two people: they ask and confirm it at /support. */
const { 'correct-number': _byTwo, ...askedRepairs } = repairTitles;

/** Every command, by the file that has it. */
export const allCommands: readonly ListedCommand[] = [
  inFile(() => import('./commands/lists.ts'), {
    'list partners': 'Show all partners with their balances, and which are below their thresholds',
    'list merchants': 'Show all merchants',
    'list merchant-categories': 'Show the categories of merchants',
    'list product-categories': 'Show the categories of products',
    'list products': 'Show the products, or those of one partner',
    'list denominations': 'Show the amounts of gift vouchers',
    'list promos': 'Show the promos, including inactive and past ones',
    'list vouchers': 'Show the newest vouchers',
    'list top-ups': 'Show the newest top-ups',
    'list desk': 'Show what waits for a person of the service, the most urgent first',
  }),
  inFile(() => import('./commands/show.ts'), {
    'show merchant': 'Show one merchant: fee, payout account, keys and addresses',
    'show voucher': 'Show one voucher: claims, redemptions, messages, and transfers',
    'show top-up': 'Show one top-up: attempts, answers of the provider, and transfers',
  }),
  inFile(() => import('./commands/companies.ts'), {
    'show partner': 'Show one partner: balances, products, keys and addresses',
    'create partner': 'Add a partner, with its wallets',
    'change partner': 'Change the name of a partner',
    'set message-language': 'Set the language of messages to the owners of a partner’s vouchers',
    'suspend partner': 'Suspend a partner, and the redemption of its vouchers, at once',
    'reinstate partner': 'Reinstate a suspended partner',
  }),
  inFile(() => import('./commands/prices.ts'), {
    'list prices': 'Show the selling prices of a partner',
    'set price': 'Set the selling price of a denomination, in USD',
  }),
  inFile(() => import('./commands/access.ts'), {
    'list api-keys': 'Show the API keys of a partner or a merchant, including revoked ones',
    'issue api-key': 'Make an API key for a partner or a merchant and show it once',
    'rotate api-key': 'Replace an API key with a new one; both work for a while',
    'revoke api-key': 'Revoke an API key and all its tokens',
  }),
  inFile(() => import('./commands/digest-keys.ts'), {
    'list digest-keys':
      'Count secrets by the key of their digests: which keys of DIGEST_KEYS are in use',
    'rotate digests': 'Renew the digests of voucher codes with the first key of DIGEST_KEYS',
  }),
  inFile(() => import('./commands/numbers.ts'), {
    'list number-storage': 'Count phone numbers by how they are stored: under which key, or erased',
    'reseal numbers': 'Seal the phone numbers of older keys with the first key of DATA_KEYS',
    'erase number': 'Erase a phone number everywhere, with the hash that finds it',
  }),
  inFile(() => import('./commands/access.ts'), {
    'list addresses': 'Show the addresses that a partner or a merchant may call from',
    'register address': 'Add an address, a range or a name to the allow-list of a company',
    'remove address': 'Remove an address from the allow-list of a company',
  }),
  inFile(() => import('./commands/access.ts'), {
    'list public-keys': 'Show the public keys of a merchant, including revoked ones',
    'register public-key': 'Register a public key for the signatures of a merchant',
    'revoke public-key': 'Refuse signatures by a public key from now on',
  }),
  inFile(() => import('./commands/webhooks.ts'), {
    'list webhooks': 'Show the webhooks of a partner or a merchant',
    'add webhook': 'Deliver the events of a partner or a merchant to an address',
    'rotate webhook-secret': 'Give a webhook a new secret; both sign for a while',
    'pause webhook': 'Stop the deliveries of a webhook',
    'resume webhook': 'Continue the deliveries of a webhook that was paused or switched off',
    'remove webhook': 'Remove a webhook with its secrets',
  }),
  inFile(() => import('./commands/webhooks.ts'), {
    'list webhook-deliveries':
      'Show the newest deliveries of a webhook with the answers of its receiver',
    'test webhook': 'Send a test event to a webhook',
    'send-again webhook': 'Deliver events of a webhook again',
  }),
  inFile(() => import('./commands/limits.ts'), {
    'list refused-calls':
      'Show the newest calls refused for their key, token, address or signature',
  }),
  inFile(() => import('./commands/accounts.ts'), {
    'list portal-accounts': 'Show the portal accounts of a partner or a merchant',
    'create portal-account': 'Create a portal account for a person of a partner or a merchant',
    'reset portal-password': 'Reset the portal password of a person, and end all sessions',
    'reset one-time-password':
      'Switch off the one-time passwords of a person, and end all sessions',
    'disable portal-account': 'Disable a portal account at once',
  }),
  inFile(() => import('./commands/accounts.ts'), {
    'list staff-accounts': 'Show the accounts of people of the service',
    'create staff-account':
      'Create an account for a person of the service, who signs in at /support',
    'set staff-role': 'Set what a person of the service may do',
    'reset staff-account':
      'Reset password and one-time passwords of a person of the service, and end all sessions',
    'disable staff-account': 'Disable the account of a person of the service at once',
  }),
  inFile(() => import('./commands/invitations.ts'), {
    'list invitations': 'Show the invitations of a merchant and the status of their messages',
    'invite merchant': 'Send a merchant the link that activates its portal account',
  }),
  inFile(() => import('./commands/limits.ts'), {
    'list budget-alarms':
      'Show the companies that reached a daily budget of messages or wrong codes',
    'set budgets': 'Set the daily budgets of a company for messages and wrong codes',
  }),
  inFile(() => import('./commands/reports.ts'), {
    'list report-recipients':
      'Show who gets the report of each day by e-mail, and what became of the last one',
    'add report-recipient': 'Send the report of each day to an e-mail address',
    'remove report-recipient': 'Send no more day reports to an e-mail address',
  }),
  inFile(() => import('./commands/reports.ts'), {
    'list undelivered-emails':
      'Show the e-mails of the last day that were refused or given up, and to whom',
  }),
  inFile(() => import('./commands/repairs.ts'), {
    'list repairs': 'Show the newest repairs',
    'show repair': 'Show one repair: who asked, who confirmed, and what came of it',
  }),
  inFile(() => import('./commands/find.ts'), {
    find: 'Find the case of a customer, and tell its story',
  }),
  inFile(() => import('./commands/records.ts'), {
    'create merchant': 'Add a merchant',
    'create merchant-category': 'Add a category of merchants',
    'create product': 'Add a product',
    'create product-category': 'Add a category of products',
    'create denomination': 'Add an amount for gift vouchers',
    'create promo': 'Add a promo',
    'change merchant': 'Change a merchant',
    'change merchant-category': 'Change a category of merchants',
    'change product': 'Change a product',
    'change product-category': 'Change a category of products',
    'change denomination': 'Change the amount of a denomination',
    'change promo': 'Change a promo',
    'import merchants': 'Add and change merchants',
    'import merchant-categories': 'Add and change merchant categories',
    'import products': 'Add and change products',
    'import product-categories': 'Add and change product categories',
    'import denominations': 'Add and change denominations',
    'import promos': 'Add and change promos',
    'deactivate merchant': 'Deactivate a merchant: no new vouchers, claims or redemptions',
    'deactivate merchant-category':
      'Take a category of merchants out of use; its merchants stay as they are',
    'deactivate product': 'Stop the sale of a product; earlier sales stay valid',
    'deactivate product-category':
      'Hide a category of products from partners; its products do not change',
    'deactivate denomination': 'Stop the sale of vouchers of a denomination',
    'deactivate promo': 'Hide a promo from partners',
    'activate merchant': 'Reactivate a merchant',
    'activate merchant-category': 'Take a category of merchants into use again',
    'activate product': 'Resume the sale of a product',
    'activate product-category': 'Show a category of products to partners again',
    'activate denomination': 'Resume the sale of vouchers of a denomination',
    'activate promo': 'Show a promo to partners again',
    'delete merchant': 'Delete a merchant that is deactivated',
    'delete merchant-category': 'Delete a merchant category that is deactivated',
    'delete product': 'Delete a product that is deactivated',
    'delete product-category': 'Delete a product category that is deactivated',
    'delete denomination': 'Delete a denomination that is deactivated',
    'delete promo': 'Delete a promo that is deactivated',
    'restore merchant': 'Restore a deleted merchant, still deactivated',
    'restore merchant-category': 'Restore a deleted merchant category, still deactivated',
    'restore product': 'Restore a deleted product, still deactivated',
    'restore product-category': 'Restore a deleted product category, still deactivated',
    'restore promo': 'Restore a deleted promo, still deactivated',
  }),
  inFile(() => import('./commands/companies.ts'), {
    'set service-fee': 'Set the service fee of a merchant',
    'set payout-account': 'Set the payout account of a merchant',
  }),
  inFile(() => import('./commands/limits.ts'), {
    'set daily-limits': 'Set what a partner may spend on vouchers and top-ups in a day',
    'set key-limits': 'Set what an API key of a partner may spend in a day',
  }),
  inFile(() => import('./commands/webhooks.ts'), {
    'set low-balance':
      'Set the balance of a wallet below which its partner gets the event balance.low',
    'renew event-epoch':
      'Refuse the cursors of the event log from before a restore of the database',
  }),
  inFile(() => import('./commands/deposits.ts'), {
    deposit: 'Credit a payment of a partner to one of its wallets',
  }),
  inFile(() => import('./commands/prices.ts'), {
    'grant access': 'Let a partner sell a product',
    'revoke access': 'Stop a partner from selling a product',
  }),
  inFile(() => import('./commands/access.ts'), {
    'set key-scopes': 'Set what an API key may do',
  }),
  inFile(
    () => import('./commands/repairs.ts'),
    Object.fromEntries(
      Object.entries(askedRepairs).map(([name, title]) => [`repair ${name}`, title]),
    ),
  ),
  inFile(() => import('./commands/providers.ts'), {
    'route list': 'Show which provider serves what, in the order in which they are asked',
    'route add': 'Let a provider serve messages, payments or top-ups',
    'route remove': 'Remove a route',
    'route enable': 'Let a disabled route decide again',
    'route disable': 'Let a route decide nothing until it is enabled again',
  }),
  inFile(() => import('./commands/providers.ts'), {
    'check providers':
      'Log in to each provider that the settings configure, and show our balance there',
  }),
  inFile(() => import('./commands/providers.ts'), {
    'list provider-states':
      'Show what each running worker knows of each provider: its circuit breaker, and our money there',
  }),
  inFile(() => import('./commands/payout-accounts.ts'), {
    'list payout-accounts': 'Show all payout accounts, and what the providers say of them',
    'check payout-account':
      'Ask the providers for the payout account of a merchant, and its holder',
    'confirm payout-account':
      'Confirm that the registered holder has the payout account at a provider',
  }),
  inFile(() => import('./commands/providers.ts'), {
    'list refused-payments':
      'Show which merchants are not paid, by which provider, and what it says',
  }),
  inFile(() => import('./commands/recovery.ts'), {
    'recover fence':
      'Fence a restored database, before any process starts on it, or a promoted standby',
  }),
  inFile(() => import('./commands/recovery.ts'), {
    'recover status':
      'Show whether the fence of a restored database stands, and what is left to do',
    'recover lift': 'Lift the fence: the service works again',
  }),
  inFile(() => import('./commands/recovery.ts'), {
    'recover list':
      'List what the providers did since the restored moment, compared with our books',
    'recover book': 'Book what the providers did and the restored database lacks',
  }),
  inFile(() => import('./commands/statement.ts'), {
    statement: 'Explain the balance of a wallet line by line',
  }),
  inFile(() => import('./commands/reports.ts'), {
    report: 'Report the business and the books of a day',
  }),
  inFile(() => import('./commands/provider-statements.ts'), {
    reconcile: "Compare a provider's statement of a day with our books, and list what is not ours",
  }),
  inFile(() => import('./commands/cases.ts'), {
    'list cases': 'List what a person must settle: providers and our books differ',
    'show case': 'Show one case: what the providers say, and what each choice moves',
  }),
  inFile(() => import('./commands/providers.ts'), {
    'list provider-balances': 'List our balances at the providers, as last read',
  }),
  inFile(() => import('./commands/check-ledger.ts'), {
    'check-ledger':
      'Check the consistency of money and states, and show the balances of the accounts',
  }),
  inFile(() => import('./commands/audit.ts'), {
    audit: 'Show the audit log, newest first',
  }),
].flat();
