import type {
  AdmittedCallsTable,
  ApiKeysTable,
  AuditLogTable,
  MerchantPublicKeysTable,
  RefusedCallsTable,
  SourceAddressesTable,
} from './access.js';
import type {
  BookCheckpointsTable,
  CheckedBalancesTable,
  CheckedHoldingsTable,
  LedgerDaySumsTable,
  PayoutHourSumsTable,
  RowCountsTable,
  SaleHourSumsTable,
  UncheckedChangesTable,
} from './books.js';
import type { BulkLinesTable, BulkOrdersTable } from './bulk.js';
import type {
  GiftDenominationsTable,
  MerchantCategoriesTable,
  MerchantPayoutAccountsTable,
  MerchantsTable,
  PartnerGiftDenominationPricesTable,
  PartnerProductsTable,
  PartnersTable,
  PayoutAccountChecksTable,
  PriceListVersionsTable,
  ProductCategoriesTable,
  ProductsTable,
  PromosTable,
  ReferenceDataVersionTable,
} from './catalogue.js';
import type { EventEpochsTable, EventsTable } from './events.js';
import type { LedgerAccountsTable, LedgerTransfersTable } from './ledger.js';
import type { MpesaResultsTable } from './mpesa.js';
import type { NumberStorageTable } from './number-storage.js';
import type { OperatorCommandsTable } from './operator-commands.js';
import type {
  AccessNoticesTable,
  InvitationMessagesTable,
  MerchantInvitationsTable,
  PortalAccountsTable,
  PortalHalfSignInsTable,
  PortalOneTimePasswordRulesTable,
  PortalOneTimePasswordsTable,
  PortalRecoveryCodesTable,
  PortalSessionsTable,
  PortalSignInAttemptsTable,
  StaffAccountsTable,
  StatementEmailsTable,
} from './portal.js';
import type {
  ProviderBalancesTable,
  ProviderBreaksTable,
  ProviderStatementLinesTable,
  ProviderStatementsTable,
} from './provider-statements.js';
import type {
  EarlyDeliveryReportsTable,
  ProviderFailoversTable,
  ProviderRoutesTable,
  ProviderStatesTable,
} from './providers.js';
import type {
  DatabaseTimelineTable,
  MaintenanceFencesTable,
  RecoveredPaymentsTable,
} from './recovery.js';
import type { RepairsTable } from './repairs.js';
import type { ReportEmailsTable, ReportRecipientsTable } from './reports.js';
import type { TopupAttemptsTable, TopupRetriesTable, TopupsTable } from './topups.js';
import type {
  CompanyDailyCountsTable,
  DailySpendingTable,
  LeftRequestsTable,
  MessageResendsTable,
  MessagesTable,
  NumberDailyCountsTable,
  OperationsTable,
  RedemptionReversalsTable,
  RedemptionsTable,
  SignedRequestsTable,
  VerificationAttemptsTable,
  VoucherClaimsTable,
  VoucherStatusChangesTable,
  VouchersTable,
} from './vouchers.js';
import type {
  WebhookDeliveriesTable,
  WebhookEndpointsTable,
  WebhookSecretsTable,
} from './webhooks.js';

export type * from './access.js';
export type * from './books.js';
export type * from './bulk.js';
export type * from './catalogue.js';
export type { CompanyKind } from './columns.js';
export type * from './events.js';
export type * from './ledger.js';
export type * from './operator-commands.js';
export type * from './portal.js';
export type * from './provider-statements.js';
export type * from './providers.js';
export type * from './recovery.js';
export type * from './repairs.js';
export type * from './reports.js';
export type * from './topups.js';
export type * from './vouchers.js';
export type * from './webhooks.js';

/** The tables after all migrations. */
export interface Schema {
  provider_statements: ProviderStatementsTable;
  provider_statement_lines: ProviderStatementLinesTable;
  provider_breaks: ProviderBreaksTable;
  provider_balances: ProviderBalancesTable;
  operator_commands: OperatorCommandsTable;
  repairs: RepairsTable;
  partners: PartnersTable;
  merchant_categories: MerchantCategoriesTable;
  merchants: MerchantsTable;
  merchant_payout_accounts: MerchantPayoutAccountsTable;
  payout_account_checks: PayoutAccountChecksTable;
  product_categories: ProductCategoriesTable;
  products: ProductsTable;
  partner_products: PartnerProductsTable;
  promos: PromosTable;
  gift_denominations: GiftDenominationsTable;
  partner_gift_denomination_prices: PartnerGiftDenominationPricesTable;
  api_keys: ApiKeysTable;
  source_addresses: SourceAddressesTable;
  merchant_public_keys: MerchantPublicKeysTable;
  ledger_accounts: LedgerAccountsTable;
  ledger_transfers: LedgerTransfersTable;
  book_checkpoints: BookCheckpointsTable;
  checked_balances: CheckedBalancesTable;
  ledger_day_sums: LedgerDaySumsTable;
  payout_hour_sums: PayoutHourSumsTable;
  sale_hour_sums: SaleHourSumsTable;
  row_counts: RowCountsTable;
  checked_holdings: CheckedHoldingsTable;
  unchecked_changes: UncheckedChangesTable;
  operations: OperationsTable;
  left_requests: LeftRequestsTable;
  signed_requests: SignedRequestsTable;
  vouchers: VouchersTable;
  voucher_status_changes: VoucherStatusChangesTable;
  voucher_claims: VoucherClaimsTable;
  verification_attempts: VerificationAttemptsTable;
  company_daily_counts: CompanyDailyCountsTable;
  daily_spending: DailySpendingTable;
  number_daily_counts: NumberDailyCountsTable;
  redemptions: RedemptionsTable;
  redemption_reversals: RedemptionReversalsTable;
  mpesa_results: MpesaResultsTable;
  messages: MessagesTable;
  message_resends: MessageResendsTable;
  early_delivery_reports: EarlyDeliveryReportsTable;
  topups: TopupsTable;
  topup_attempts: TopupAttemptsTable;
  topup_retries: TopupRetriesTable;
  audit_log: AuditLogTable;
  reference_data_version: ReferenceDataVersionTable;
  price_list_versions: PriceListVersionsTable;
  refused_calls: RefusedCallsTable;
  admitted_calls: AdmittedCallsTable;
  portal_accounts: PortalAccountsTable;
  portal_sessions: PortalSessionsTable;
  staff_accounts: StaffAccountsTable;
  portal_one_time_passwords: PortalOneTimePasswordsTable;
  portal_recovery_codes: PortalRecoveryCodesTable;
  portal_half_sign_ins: PortalHalfSignInsTable;
  portal_one_time_password_rules: PortalOneTimePasswordRulesTable;
  access_notices: AccessNoticesTable;
  statement_emails: StatementEmailsTable;
  portal_sign_in_attempts: PortalSignInAttemptsTable;
  bulk_orders: BulkOrdersTable;
  bulk_lines: BulkLinesTable;
  merchant_invitations: MerchantInvitationsTable;
  invitation_messages: InvitationMessagesTable;
  events: EventsTable;
  event_epochs: EventEpochsTable;
  webhook_endpoints: WebhookEndpointsTable;
  webhook_secrets: WebhookSecretsTable;
  webhook_deliveries: WebhookDeliveriesTable;
  database_timeline: DatabaseTimelineTable;
  maintenance_fences: MaintenanceFencesTable;
  number_storage: NumberStorageTable;
  recovered_payments: RecoveredPaymentsTable;
  provider_routes: ProviderRoutesTable;
  provider_states: ProviderStatesTable;
  provider_failovers: ProviderFailoversTable;
  report_recipients: ReportRecipientsTable;
  report_emails: ReportEmailsTable;
}
