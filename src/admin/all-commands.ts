import { isDeletable } from '../db/catalogue/company-changes.js';
import { listAddresses, registerAddress, removeAddress } from './commands/addresses.js';
import {
  issueApiKey,
  listApiKeysCommand,
  revokeApiKeyCommand,
  rotateApiKey,
} from './commands/api-keys.js';
import { audit } from './commands/audit.js';
import { cancelVoucher } from './commands/cancel-voucher.js';
import { checkLedger } from './commands/check-ledger.js';
import { listBudgetAlarmsCommand, setBudgets } from './commands/company-budgets.js';
import { setDailyLimits, setKeyLimits } from './commands/daily-limits.js';
import { deposit } from './commands/deposit.js';
import { listDigestKeys, rotateDigests } from './commands/digest-keys.js';
import { settleDisagreementCommand } from './commands/disagreements.js';
import { renewEventEpochCommand, setLowBalanceCommand } from './commands/events.js';
import { inviteMerchantCommand, listInvitationsCommand } from './commands/invitations.js';
import { setKeyScopes } from './commands/key-scopes.js';
import { listLateSuccessesCommand, settleLateSuccessCommand } from './commands/late-successes.js';
import {
  listMerchantCategoriesCommand,
  listProductCategoriesCommand,
} from './commands/lists/list-categories.js';
import { listDenominationsCommand } from './commands/lists/list-denominations.js';
import { listMerchantsCommand, showMerchant } from './commands/lists/list-merchants.js';
import { listProductsCommand } from './commands/lists/list-products.js';
import { listPromosCommand } from './commands/lists/list-promos.js';
import { listTopupsCommand, showTopup } from './commands/lists/list-topups.js';
import { listVouchersCommand, showVoucher } from './commands/lists/list-vouchers.js';
import { setPayoutAccount, setServiceFee } from './commands/merchant-terms.js';
import {
  changePartner,
  createPartner,
  listPartnersCommand,
  reinstatePartner,
  setMessageLanguageCommand,
  showPartner,
  suspendPartner,
} from './commands/partners.js';
import {
  createPortalAccount,
  disablePortalAccount,
  listPortalAccountsCommand,
  resetOneTimePassword,
  resetPortalPassword,
} from './commands/portal-accounts.js';
import { listPricesCommand, setPriceCommand } from './commands/prices.js';
import { eraseNumberCommand, listNumberStorage, sealNumbers } from './commands/privacy/numbers.js';
import { grantAccessCommand, revokeAccessCommand } from './commands/product-access.js';
import { providerCommands } from './commands/providers/provider-commands.js';
import {
  listPublicKeysCommand,
  registerPublicKey,
  revokePublicKeyCommand,
} from './commands/public-keys.js';
import { deleteCommand, restoreCommand } from './commands/record-deletion.js';
import { activateCommand, deactivateCommand } from './commands/record-status.js';
import { changeRecordCommand, createCommand } from './commands/records.js';
import { recoveryCommands } from './commands/recovery/recover-status.js';
import {
  listRecoveredPaymentsCommand,
  settleRecoveredPaymentCommand,
} from './commands/recovery/recovered-payments.js';
import { listRefusedCallsCommand } from './commands/refused-calls.js';
import { listRepairsCommand, showRepair } from './commands/repairs/list-repairs.js';
import { repairCommands } from './commands/repairs/repair.js';
import { report } from './commands/reports/report.js';
import {
  addReportRecipientCommand,
  listReportRecipientsCommand,
  removeReportRecipientCommand,
} from './commands/reports/report-recipients.js';
import { retryTopUpCommand } from './commands/retry-topup.js';
import { listReversalsCommand, settleReversalCommand } from './commands/reversals.js';
import { reverseDepositCommand } from './commands/reverse-deposit.js';
import { find } from './commands/staff/find.js';
import {
  createStaffAccount,
  disableStaffAccount,
  listStaffAccountsCommand,
  resetStaffAccount,
  setStaffRoleCommand,
} from './commands/staff/staff-accounts.js';
import { statement } from './commands/statement.js';
import { statementCommands } from './commands/statements/breaks.js';
import {
  listWebhookDeliveriesCommand,
  sendAgainCommand,
  testWebhookCommand,
} from './commands/webhook-deliveries.js';
import {
  addWebhookCommand,
  listWebhooksCommand,
  pauseWebhookCommand,
  removeWebhookCommand,
  resumeWebhookCommand,
  rotateWebhookCommand,
} from './commands/webhooks.js';
import { importCommand } from './import/import-command.js';
import { recordKinds } from './records/all-record-kinds.js';

const restorableKinds = recordKinds.filter(({ table }) => isDeletable(table));

/** Every command, in the order of help. */
export const allCommands = [
  listPartnersCommand,
  listMerchantsCommand,
  listMerchantCategoriesCommand,
  listProductsCommand,
  listProductCategoriesCommand,
  listDenominationsCommand,
  listPricesCommand,
  listPromosCommand,
  listVouchersCommand,
  listTopupsCommand,
  listApiKeysCommand,
  listDigestKeys,
  listNumberStorage,
  listAddresses,
  listPublicKeysCommand,
  listWebhooksCommand,
  listWebhookDeliveriesCommand,
  listRefusedCallsCommand,
  listPortalAccountsCommand,
  listStaffAccountsCommand,
  listInvitationsCommand,
  listLateSuccessesCommand,
  listBudgetAlarmsCommand,
  listReversalsCommand,
  listRecoveredPaymentsCommand,
  listReportRecipientsCommand,
  listRepairsCommand,
  find,
  showPartner,
  showMerchant,
  showVoucher,
  showTopup,
  showRepair,
  createPartner,
  ...recordKinds.map(createCommand),
  createPortalAccount,
  createStaffAccount,
  inviteMerchantCommand,
  changePartner,
  ...recordKinds.map(changeRecordCommand),
  ...recordKinds.map(importCommand),
  setServiceFee,
  setPayoutAccount,
  setPriceCommand,
  setBudgets,
  setDailyLimits,
  setLowBalanceCommand,
  setMessageLanguageCommand,
  setStaffRoleCommand,
  renewEventEpochCommand,
  deposit,
  reverseDepositCommand,
  grantAccessCommand,
  issueApiKey,
  rotateApiKey,
  rotateDigests,
  sealNumbers,
  eraseNumberCommand,
  setKeyScopes,
  setKeyLimits,
  registerAddress,
  registerPublicKey,
  addWebhookCommand,
  addReportRecipientCommand,
  rotateWebhookCommand,
  testWebhookCommand,
  sendAgainCommand,
  pauseWebhookCommand,
  resumeWebhookCommand,
  revokeAccessCommand,
  revokeApiKeyCommand,
  revokePublicKeyCommand,
  removeAddress,
  removeWebhookCommand,
  removeReportRecipientCommand,
  resetPortalPassword,
  resetStaffAccount,
  resetOneTimePassword,
  disablePortalAccount,
  disableStaffAccount,
  suspendPartner,
  reinstatePartner,
  ...recordKinds.map(deactivateCommand),
  ...recordKinds.map(activateCommand),
  ...recordKinds.map(deleteCommand),
  ...restorableKinds.map(restoreCommand),
  cancelVoucher,
  settleLateSuccessCommand,
  retryTopUpCommand,
  ...repairCommands,
  settleReversalCommand,
  settleDisagreementCommand,
  settleRecoveredPaymentCommand,
  ...providerCommands,
  ...recoveryCommands,
  statement,
  report,
  ...statementCommands,
  checkLedger,
  audit,
];

/** The help of verbs that several commands share. */
export const verbs: Readonly<Record<string, string>> = {
  list: 'List records with their ids',
  show: 'Show one partner, merchant, voucher, top-up or repair in full',
  create: 'Add partners, merchants and products',
  invite: 'Invite a merchant to activate its portal account',
  change: 'Change partners, merchants and products',
  set: 'Set fees and payout accounts of merchants, prices of partners, budgets and limits, and scopes of keys',
  reverse: 'Reverse a mistaken deposit',
  grant: 'Let a partner sell a product',
  issue: 'Make an API key',
  rotate: 'Replace an API key or the secret of a webhook, or renew digests under a new key',
  seal: 'Seal phone numbers in the database',
  erase: 'Erase a phone number',
  register: 'Register addresses and public keys',
  revoke: 'Revoke access, API keys and public keys',
  add: 'Add a webhook, or an address that gets day reports',
  test: 'Send a test event to a webhook',
  'send-again': 'Deliver events of a webhook again',
  pause: 'Stop the deliveries of a webhook',
  resume: 'Continue the deliveries of a webhook',
  remove: 'Remove an address, a webhook or a recipient of day reports',
  reset: 'Reset the portal password or the one-time password of a person',
  disable: 'Disable a portal account',
  suspend: 'Suspend a partner',
  reinstate: 'Reinstate a suspended partner',
  import: 'Add and change many records from a CSV or JSON file',
  deactivate: 'Deactivate merchants and products, or hide categories and promos',
  activate: 'Activate deactivated records',
  delete: 'Delete deactivated records',
  restore: 'Restore deleted records',
  cancel: 'Cancel a voucher',
  retry: 'Make one more attempt of a failed top-up',
  repair: 'Ask for a repair of a voucher, claim, redemption, top-up, deposit or wallet',
  settle:
    'Settle late successes, reversals, disagreements and breaks with a provider, and recovered payments',
  route: 'Say which provider serves what',
  check: 'Log in to each provider',
  recover: 'Recover the service after its database was restored from a backup',
};
