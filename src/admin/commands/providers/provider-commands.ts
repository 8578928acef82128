import { checkProvidersCommand } from './check-providers.js';
import { checkPayoutAccount, confirmPayoutAccount, listPayoutAccounts } from './payout-accounts.js';
import { listRefusedPaymentsCommand } from './refused-payments.js';
import { routeCommands } from './routes.js';

/** The commands for providers, in the order of help. */
export const providerCommands = [
  ...routeCommands,
  checkProvidersCommand,
  listPayoutAccounts,
  listRefusedPaymentsCommand,
  checkPayoutAccount,
  confirmPayoutAccount,
];
