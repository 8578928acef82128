import { checkProvidersCommand } from './check-providers.ts';
import { checkPayoutAccount, confirmPayoutAccount, listPayoutAccounts } from './payout-accounts.ts';
import { listProviderStatesCommand } from './provider-states.ts';
import { listRefusedPaymentsCommand } from './refused-payments.ts';
import { routeCommands } from './routes.ts';

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
