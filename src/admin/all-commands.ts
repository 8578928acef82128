import { isDeletable } from '../db/catalogue/company-changes.js';
import { listAddresses, registerAddress, removeAddress } from './commands/access/addresses.js';
import {
  issueApiKey,
  listApiKeysCommand,
  revokeApiKeyCommand,
  rotateApiKey,
} from './commands/access/api-keys.js';
import { setDailyLimits, setKeyLimits } from './commands/access/daily-limits.js';
import { listDigestKeys, rotateDigests } from './commands/access/digest-keys.js';
import { setKeyScopes } from './commands/access/key-scopes.js';
import {
  listPublicKeysCommand,
  registerPublicKey,
  revokePublicKeyCommand,
} from './commands/access/public-keys.js';
import { listRefusedCallsCommand } from './commands/access/refused-calls.js';
import {
  createPortalAccount,
  disablePortalAccount,
  listPortalAccountsCommand,
  resetOneTimePassword,
  resetPortalPassword,
} from './commands/accounts/portal-accounts.js';
import {
  createStaffAccount,
  disableStaffAccount,
  listStaffAccountsCommand,
  resetStaffAccount,
  setStaffRoleCommand,
} from './commands/accounts/staff-accounts.js';
import { audit } from './commands/audit.js';
import { cancelVoucher } from './commands/cancel-voucher.js';
import { checkLedger } from './commands/check-ledger.js';
import { listBudgetAlarmsCommand, setBudgets } from './commands/company-budgets.js';
import { deposit } from './commands/deposit.js';
import { inviteMerchantCommand, listInvitationsCommand } from './commands/invitations.js';
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
import { listPricesCommand, setPriceCommand } from './commands/prices.js';
import { eraseNumberCommand, listNumberStorage, sealNumbers } from './commands/privacy/numbers.js';
import { grantAccessCommand, revokeAccessCommand } from './commands/product-access.js';
import { providerCommands } from './commands/providers/provider-commands.js';
import { deleteCommand, restoreCommand } from './commands/record-deletion.js';
import { activateCommand, deactivateCommand } from './commands/record-status.js';
import { changeRecordCommand, createCommand } from './commands/records.js';
import { recoveryCommands } from './commands/recovery/recover-status.js';
import {
  listRecoveredPaymentsCommand,
  settleRecoveredPaymentCommand,
} from './commands/recovery/recovered-payments.js';
import { listRepairsCommand, showRepair } from './commands/repairs/list-repairs.js';
import { repairCommands } from './commands/repairs/repair.js';
import { report } from './commands/reports/report.js';
import {
  addReportRecipientCommand,
  listReportRecipientsCommand,
  removeReportRecipientCommand,
} from './commands/reports/report-recipients.js';
import { listUndeliveredEmailsCommand } from './commands/reports/undelivered-emails.js';
import { retryTopUpCommand } from './commands/retry-topup.js';
import { reverseDepositCommand } from './commands/reverse-deposit.js';
import { settleDisagreementCommand } from './commands/settlements/disagreements.js';
import {
  listDoubleDeliveriesCommand,
  settleDoubleDeliveryCommand,
} from './commands/settlements/double-deliveries.js';
import {
  listLateSuccessesCommand,
  settleLateSuccessCommand,
} from './commands/settlements/late-successes.js';
import { listReversalsCommand, settleReversalCommand } from './commands/settlements/reversals.js';
import { find } from './commands/staff/find.js';
import { statement } from './commands/statement.js';
import { statementCommands } from './commands/statements/breaks.js';
import { renewEventEpochCommand, setLowBalanceCommand } from './commands/webhooks/events.js';
import {
  listWebhookDeliveriesCommand,
  sendAgainCommand,
  testWebhookCommand,
} from './commands/webhooks/webhook-deliveries.js';
import {
  addWebhookCommand,
  listWebhooksCommand,
  pauseWebhookCommand,
  removeWebhookCommand,
  resumeWebhookCommand,
  rotateWebhookCommand,
} from './commands/webhooks/webhooks.js';
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
  listDoubleDeliveriesCommand,
  listRecoveredPaymentsCommand,
  listReportRecipientsCommand,
  listUndeliveredEmailsCommand,
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
  settleDoubleDeliveryCommand,
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
