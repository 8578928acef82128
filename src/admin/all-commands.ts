import { isDeletable } from '../db/catalogue/company-changes.ts';
import { listAddresses, registerAddress, removeAddress } from './commands/access/addresses.ts';
import {
  issueApiKey,
  listApiKeysCommand,
  revokeApiKeyCommand,
  rotateApiKey,
} from './commands/access/api-keys.ts';
import { setDailyLimits, setKeyLimits } from './commands/access/daily-limits.ts';
import { listDigestKeys, rotateDigests } from './commands/access/digest-keys.ts';
import { setKeyScopes } from './commands/access/key-scopes.ts';
import {
  listPublicKeysCommand,
  registerPublicKey,
  revokePublicKeyCommand,
} from './commands/access/public-keys.ts';
import { listRefusedCallsCommand } from './commands/access/refused-calls.ts';
import {
  createPortalAccount,
  disablePortalAccount,
  listPortalAccountsCommand,
  resetOneTimePassword,
  resetPortalPassword,
} from './commands/accounts/portal-accounts.ts';
import {
  createStaffAccount,
  disableStaffAccount,
  listStaffAccountsCommand,
  resetStaffAccount,
  setStaffRoleCommand,
} from './commands/accounts/staff-accounts.ts';
import { audit } from './commands/audit.ts';
import { cancelVoucher } from './commands/cancel-voucher.ts';
import { checkLedger } from './commands/check-ledger.ts';
import { listBudgetAlarmsCommand, setBudgets } from './commands/company-budgets.ts';
import { deposit } from './commands/deposit.ts';
import { inviteMerchantCommand, listInvitationsCommand } from './commands/invitations.ts';
import {
  listMerchantCategoriesCommand,
  listProductCategoriesCommand,
} from './commands/lists/list-categories.ts';
import { listDenominationsCommand } from './commands/lists/list-denominations.ts';
import { listMerchantsCommand, showMerchant } from './commands/lists/list-merchants.ts';
import { listProductsCommand } from './commands/lists/list-products.ts';
import { listPromosCommand } from './commands/lists/list-promos.ts';
import { listTopupsCommand, showTopup } from './commands/lists/list-topups.ts';
import { listVouchersCommand, showVoucher } from './commands/lists/list-vouchers.ts';
import { setPayoutAccount, setServiceFee } from './commands/merchant-terms.ts';
import {
  changePartner,
  createPartner,
  listPartnersCommand,
  reinstatePartner,
  setMessageLanguageCommand,
  showPartner,
  suspendPartner,
} from './commands/partners.ts';
import { listPricesCommand, setPriceCommand } from './commands/prices.ts';
import {
  eraseNumberCommand,
  listNumberStorage,
  resealNumbers,
} from './commands/privacy/numbers.ts';
import { grantAccessCommand, revokeAccessCommand } from './commands/product-access.ts';
import { providerCommands } from './commands/providers/provider-commands.ts';
import { deleteCommand, restoreCommand } from './commands/record-deletion.ts';
import { activateCommand, deactivateCommand } from './commands/record-status.ts';
import { changeRecordCommand, createCommand } from './commands/records.ts';
import { recoveryCommands } from './commands/recovery/recover-status.ts';
import {
  listRecoveredPaymentsCommand,
  settleRecoveredPaymentCommand,
} from './commands/recovery/recovered-payments.ts';
import { listRepairsCommand, showRepair } from './commands/repairs/list-repairs.ts';
import { repairCommands } from './commands/repairs/repair.ts';
import { report } from './commands/reports/report.ts';
import {
  addReportRecipientCommand,
  listReportRecipientsCommand,
  removeReportRecipientCommand,
} from './commands/reports/report-recipients.ts';
import { listUndeliveredEmailsCommand } from './commands/reports/undelivered-emails.ts';
import { retryTopUpCommand } from './commands/retry-topup.ts';
import { reverseDepositCommand } from './commands/reverse-deposit.ts';
import { settleDisagreementCommand } from './commands/settlements/disagreements.ts';
import {
  listDoubleDeliveriesCommand,
  settleDoubleDeliveryCommand,
} from './commands/settlements/double-deliveries.ts';
import {
  listLateSuccessesCommand,
  settleLateSuccessCommand,
} from './commands/settlements/late-successes.ts';
import { listReversalsCommand, settleReversalCommand } from './commands/settlements/reversals.ts';
import { find } from './commands/staff/find.ts';
import { statement } from './commands/statement.ts';
import { statementCommands } from './commands/statements/breaks.ts';
import { renewEventEpochCommand, setLowBalanceCommand } from './commands/webhooks/events.ts';
import {
  listWebhookDeliveriesCommand,
  sendAgainCommand,
  testWebhookCommand,
} from './commands/webhooks/webhook-deliveries.ts';
import {
  addWebhookCommand,
  listWebhooksCommand,
  pauseWebhookCommand,
  removeWebhookCommand,
  resumeWebhookCommand,
  rotateWebhookCommand,
} from './commands/webhooks/webhooks.ts';
import { importCommand } from './import/import-command.ts';
import { recordKinds } from './records/all-record-kinds.ts';

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
  resealNumbers,
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
