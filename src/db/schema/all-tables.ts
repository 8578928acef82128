import type {
  AdmittedCallsTable,
  ApiKeysTable,
  AuditLogTable,
  MerchantPublicKeysTable,
  RefusedCallsTable,
  SourceAddressesTable,
} from './access.js';
import type {
  GiftDenominationsTable,
  MerchantCategoriesTable,
  MerchantPayoutAccountsTable,
  MerchantsTable,
  PartnerGiftDenominationPricesTable,
  PartnerProductsTable,
  PartnersTable,
  PriceListVersionsTable,
  ProductCategoriesTable,
  ProductsTable,
  PromosTable,
  ReferenceDataVersionTable,
} from './catalogue.js';
import type { LedgerAccountsTable, LedgerTransfersTable } from './ledger.js';
import type { OperatorCommandsTable } from './operator-commands.js';
import type {
  InvitationMessagesTable,
  MerchantInvitationsTable,
  PortalAccountsTable,
  PortalSessionsTable,
  PortalSignInAttemptsTable,
} from './portal.js';
import type { TopupAttemptsTable, TopupRetriesTable, TopupsTable } from './topups.js';
import type {
  CompanyDailyCountsTable,
  LeftRequestsTable,
  MessagesTable,
  OperationsTable,
  RedemptionsTable,
  SignedRequestsTable,
  VerificationAttemptsTable,
  VoucherClaimsTable,
  VoucherStatusChangesTable,
  VouchersTable,
} from './vouchers.js';

export type * from './access.js';
export type * from './catalogue.js';
export type { CompanyKind } from './columns.js';
export type * from './ledger.js';
export type * from './operator-commands.js';
export type * from './portal.js';
export type * from './topups.js';
export type * from './vouchers.js';

/** The tables after all migrations. */
export interface Schema {
  operator_commands: OperatorCommandsTable;
  partners: PartnersTable;
  merchant_categories: MerchantCategoriesTable;
  merchants: MerchantsTable;
  merchant_payout_accounts: MerchantPayoutAccountsTable;
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
  operations: OperationsTable;
  left_requests: LeftRequestsTable;
  signed_requests: SignedRequestsTable;
  vouchers: VouchersTable;
  voucher_status_changes: VoucherStatusChangesTable;
  voucher_claims: VoucherClaimsTable;
  verification_attempts: VerificationAttemptsTable;
  company_daily_counts: CompanyDailyCountsTable;
  redemptions: RedemptionsTable;
  messages: MessagesTable;
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
  portal_sign_in_attempts: PortalSignInAttemptsTable;
  merchant_invitations: MerchantInvitationsTable;
  invitation_messages: InvitationMessagesTable;
}
