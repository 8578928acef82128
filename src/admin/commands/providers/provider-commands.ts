import { checkProvidersCommand } from './check-providers.js';
import { checkPayoutAccount, confirmPayoutAccount, listPayoutAccounts } from './payout-accounts.js';
import { listProviderStatesCommand } from './provider-states.js';
import { listRefusedPaymentsCommand } from './refused-payments.js';
import { routeCommands } from './routes.js';

/** The commands for providers, in the order of help. */
export const providerCommands = [
  ...routeCommands,
  checkProvidersCommand,
  listProviderStatesCommand,
  listPayoutAccounts,
  listRefusedPaymentsCommand,
  checkPayoutAccount,
  confirmPayoutAccount,
];
