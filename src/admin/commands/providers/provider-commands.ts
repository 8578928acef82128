import { checkProvidersCommand } from './check-providers.js';
import { checkPayoutAccount, confirmPayoutAccount, listPayoutAccounts } from './payout-accounts.js';
import { routeCommands } from './routes.js';

/** The commands for providers, in the order of help. */
export const providerCommands = [
  ...routeCommands,
  checkProvidersCommand,
  listPayoutAccounts,
  checkPayoutAccount,
  confirmPayoutAccount,
];
