import type {
  AdmittedCallsTable,
  ApiKeysTable,
  AuditLogTable,
  MerchantPublicKeysTable,
  RefusedCallsTable,
  SourceAddressesTable,
} from './access.ts';
import type {
  BookCheckpointsTable,
  CheckedBalancesTable,
  CheckedHoldingsTable,
  LedgerDaySumsTable,
  PayoutHourSumsTable,
  RowCountsTable,
  SaleHourSumsTable,
  UncheckedChangesTable,
} from './books.ts';
import type { BulkLinesTable, BulkOrdersTable } from './bulk.ts';
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
} from './catalogue.ts';
import type { EventEpochsTable, EventsTable } from './events.ts';
import type { LedgerAccountsTable, LedgerTransfersTable } from './ledger.ts';
import type { MpesaResultsTable } from './mpesa.ts';
import type { OperatorCommandsTable } from './operator-commands.ts';
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
} from './portal.ts';
import type {
  CasesTable,
  ObservationsTable,
  PlacementsTable,
  SettlementsTable,
} from './positions.ts';
import type {
  ProviderBalancesTable,
  ProviderStatementLinesTable,
  ProviderStatementsTable,
} from './provider-statements.ts';
import type {
  EarlyDeliveryReportsTable,
  MessageFailoversTable,
  ProviderRoutesTable,
  ProviderStatesTable,
} from './providers.ts';
import type { DatabaseTimelineTable, MaintenanceFencesTable } from './recovery.ts';
import type { RepairsTable } from './repairs.ts';
import type { ReportEmailsTable, ReportRecipientsTable } from './reports.ts';
import type { TopupAttemptsTable, TopupRetriesTable, TopupsTable } from './topups.ts';
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
} from './vouchers.ts';
import type {
  WebhookDeliveriesTable,
  WebhookEndpointsTable,
  WebhookSecretsTable,
} from './webhooks.ts';

export type * from './access.ts';
export type * from './books.ts';
export type * from './bulk.ts';
export type * from './catalogue.ts';
export type { CompanyKind } from './columns.ts';
export type * from './events.ts';
export type * from './ledger.ts';
export type * from './operator-commands.ts';
export type * from './portal.ts';
export type * from './positions.ts';
export type * from './provider-statements.ts';
export type * from './providers.ts';
export type * from './recovery.ts';
export type * from './repairs.ts';
export type * from './reports.ts';
export type * from './topups.ts';
export type * from './vouchers.ts';
export type * from './webhooks.ts';

/** The tables after all migrations. */
export interface Schema {
  provider_statements: ProviderStatementsTable;
  provider_statement_lines: ProviderStatementLinesTable;
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
  provider_routes: ProviderRoutesTable;
  provider_states: ProviderStatesTable;
  message_failovers: MessageFailoversTable;
  placements: PlacementsTable;
  observations: ObservationsTable;
  settlements: SettlementsTable;
  cases: CasesTable;
  report_recipients: ReportRecipientsTable;
  report_emails: ReportEmailsTable;
}
