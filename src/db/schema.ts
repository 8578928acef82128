import type { ColumnType, Generated, GeneratedAlways } from 'kysely';

import type { VoucherStatus } from '../domain/voucher.js';

/** Exact decimal, text in both directions. */
type Numeric = string;
type Timestamp = ColumnType<Date, Date | string | undefined, Date | string>;
type Json<T> = ColumnType<T, string, string>;

export type CompanyKind = 'partner' | 'merchant';

export interface PartnersTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  updated_at: Timestamp;
  company_name: string;
  status: Generated<'ACTIVE' | 'SUSPENDED'>;
  token_version: Generated<number>;
}

export interface MerchantCategoriesTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  updated_at: Timestamp;
  deleted_at: Timestamp | null;
  category_name: string;
  is_active: Generated<boolean>;
}

export interface MerchantsTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  updated_at: Timestamp;
  deleted_at: Timestamp | null;
  merchant_name: string;
  merchant_logo: string | null;
  merchant_type: string;
  identifier_type: number;
  identifier: string;
  email: string;
  phone: string;
  address: string;
  merchant_category_id: number | null;
  status: Generated<'ACTIVE' | 'DEACTIVATED'>;
  service_fee_percent: Numeric | null;
  token_version: Generated<number>;
}

export interface MerchantPayoutAccountsTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  replaced_at: Timestamp | null;
  merchant_id: number;
  party_key: string;
  party_value: string;
}

export interface ProductCategoriesTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  updated_at: Timestamp;
  deleted_at: Timestamp | null;
  category_name: string;
  category_description: string;
  status: Generated<'ACTIVE' | 'INACTIVE'>;
}

export interface ProductsTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  updated_at: Timestamp;
  deleted_at: Timestamp | null;
  product_name: string;
  description: string | null;
  metadata: Json<unknown> | null;
  pricing_type: 'COMISSION' | 'SERVICE_FEE';
  status: Generated<'ACTIVE' | 'INACTIVE'>;
  product_category_id: number;
  kind: 'GIFT' | 'AIRTIME' | 'PACKAGE';
  operator: 'ETHIO_TELECOM' | 'SAFARICOM_ETHIOPIA' | null;
  price_amount: Numeric | null;
  /** The provider's number of a package; without one it cannot be sold. */
  provider_product_id: number | null;
}

export interface PartnerProductsTable {
  partner_id: number;
  product_id: number;
}

export interface PromosTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  updated_at: Timestamp;
  deleted_at: Timestamp | null;
  product_category_id: number;
  promo_name: string;
  promo_image: string;
  promo_description: string;
  promo_start_date: Timestamp;
  promo_end_date: Timestamp;
  discount_percentage: Generated<Numeric>;
  bonus_percentage: Generated<Numeric>;
  status: Generated<'ACTIVE' | 'INACTIVE'>;
  promo_constraint: Generated<Numeric>;
}

export interface GiftDenominationsTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  product_id: number;
  amount_etb: Numeric;
  status: Generated<'ACTIVE' | 'INACTIVE'>;
}

export interface PartnerGiftDenominationPricesTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  replaced_at: Timestamp | null;
  partner_id: number;
  denomination_id: number;
  merchant_id: number | null;
  selling_price_usd: Numeric;
}

export interface ApiKeysTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  revoked_at: Timestamp | null;
  partner_id: number | null;
  merchant_id: number | null;
  key_name: string;
  key_prefix: string;
  key_digest: Buffer;
  expires_at: Timestamp | null;
  last_used_at: Timestamp | null;
  last_used_address: string | null;
}

export interface SourceAddressesTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  partner_id: number | null;
  merchant_id: number | null;
  address: string;
}

export interface MerchantPublicKeysTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  revoked_at: Timestamp | null;
  merchant_id: number;
  public_key_pem: string;
}

export type PartnerAccountKind = 'airtime' | 'gift' | 'reserved' | 'gift-hold' | 'airtime-hold';
export type PlatformAccountKind =
  | 'funding'
  | 'service-fees'
  | 'mobile-money-clearing'
  | 'airtime-clearing'
  | 'suspense';

export interface LedgerAccountsTable {
  id: GeneratedAlways<number>;
  kind: PartnerAccountKind | PlatformAccountKind;
  partner_id: number | null;
  balance: Numeric | null;
}

export interface LedgerTransfersTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  operation_id: string;
  step: string;
  debit_account_id: number;
  credit_account_id: number;
  amount: Numeric;
}

export type OperationStatus = 'RUNNING' | 'SUCCEEDED' | 'REFUSED' | 'FAILED';

export interface OperationsTable {
  id: string;
  created_at: Timestamp;
  company_kind: CompanyKind;
  company_id: number;
  kind: string;
  request_id: string;
  request_digest: string;
  status: OperationStatus;
  outcome: Json<unknown> | null;
  /** Null while it runs, and of what is settled in the statement that begins it. */
  settled_at: Timestamp | null;
}

export interface LeftRequestsTable {
  company_kind: CompanyKind;
  company_id: number;
  request_digest: string;
  left_at: Timestamp;
  taken_at: Timestamp | null;
}

export interface SignedRequestsTable {
  merchant_id: number;
  subject: string;
  bound_to: string;
  created_at: Timestamp;
}

export interface VouchersTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  operation_id: string;
  partner_id: number;
  merchant_id: number;
  denomination_id: number;
  serial_number: string;
  code_digest: Buffer;
  code_ciphertext: string;
  owner_msisdn: string | null;
  is_restricted: boolean;
  amount: Numeric;
  remaining: Numeric;
  held: Generated<Numeric>;
  returned: Generated<Numeric>;
  status: Generated<VoucherStatus>;
  expires_at: Timestamp;
  current_claim_id: string | null;
  selling_price_usd: Numeric;
  exchange_rate: string | null;
  currency: string | null;
  originating_country: string | null;
  foreign_currency_amount: string | null;
}

export interface VoucherStatusChangesTable {
  id: GeneratedAlways<number>;
  changed_at: Timestamp;
  voucher_id: number;
  from_status: VoucherStatus;
  to_status: VoucherStatus;
}

export interface VoucherClaimsTable {
  id: string;
  operation_id: string;
  created_at: Timestamp;
  voucher_id: number;
  company_kind: CompanyKind;
  company_id: number;
  amount: Numeric | null;
  service_fee_percent: Numeric | null;
  status: Generated<'OPEN' | 'SUPERSEDED' | 'EXPIRED' | 'CANCELLED' | 'REDEEMED' | 'REFUSED'>;
  expires_at: Timestamp;
  code_digest: string;
  code_ciphertext: string | null;
}

export interface VerificationAttemptsTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  voucher_id: number;
  operation_id: string;
}

export interface RedemptionsTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  settled_at: Timestamp | null;
  operation_id: string;
  voucher_id: number;
  claim_id: string | null;
  company_kind: CompanyKind;
  company_id: number;
  merchant_id: number;
  to_merchant: Numeric;
  service_fee: Numeric;
  status: Generated<'HELD' | 'POSTED' | 'VOIDED'>;
  payment_reference: string;
  platform_reference: string;
  payee: Json<{ key: string; value: string }[]>;
  provider_reference: string | null;
  provider_message: string | null;
  /** When the provider is asked once more about what it refused. */
  recheck_at: Timestamp | null;
  /** When it said that it had been done all the same. */
  contradicted_at: Timestamp | null;
}

export interface MessagesTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  settled_at: Timestamp | null;
  kind: 'VERIFICATION_CODE' | 'REDEMPTION_CONFIRMATION';
  msisdn: string;
  voucher_id: number;
  claim_id: string | null;
  redemption_id: number | null;
  /** CANCELLED was never sent; REFUSED is the provider's word. */
  status: Generated<'QUEUED' | 'SENDING' | 'SENT' | 'REFUSED' | 'UNKNOWN' | 'CANCELLED'>;
  provider_reference: string | null;
  provider_message: string | null;
}

export type TopupStatus = 'PENDING' | 'PROCESSING' | 'UNKNOWN' | 'SUCCESS' | 'FAILED';

export interface TopupsTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  updated_at: Timestamp;
  operation_id: string;
  request_digest: string;
  partner_id: number;
  kind: 'AIRTIME' | 'PACKAGE';
  product_id: number | null;
  amount: Numeric | null;
  msisdn: string;
  operator: 'ETHIO_TELECOM' | 'SAFARICOM_ETHIOPIA' | null;
  status: Generated<TopupStatus>;
  attempt: Generated<number>;
  provider_reference: string | null;
  message: string | null;
  exchange_rate: string;
  currency: string;
  originating_country: string;
  foreign_currency_amount: string | null;
}

export interface TopupAttemptsTable {
  topup_id: number;
  attempt: number;
  operation_id: string;
  reference: string;
  created_at: Timestamp;
  settled_at: Timestamp | null;
  msisdn: string;
  provider_product_id: number | null;
  status: Generated<'HELD' | 'POSTED' | 'VOIDED'>;
  provider_reference: string | null;
  provider_message: string | null;
  /** When the provider is asked once more about what it refused. */
  recheck_at: Timestamp | null;
  /** When it said that it had been done all the same. */
  contradicted_at: Timestamp | null;
}

export interface AuditLogTable {
  id: GeneratedAlways<number>;
  at: Timestamp;
  actor: string;
  action: string;
  subject_kind: string;
  subject_id: number;
  details: Json<Record<string, unknown>>;
}

export interface RefusedCallsTable {
  id: GeneratedAlways<number>;
  at: Timestamp;
  surface: string;
  method: string;
  route: string;
  reason: string;
  company_kind: CompanyKind | null;
  company_id: number | null;
  source_address: string;
  key_prefix: string | null;
  request_id: string;
  left_out: Generated<number>;
}

export interface AdmittedCallsTable {
  id: GeneratedAlways<number>;
  at: Timestamp;
  surface: string;
  method: string;
  route: string;
  status_code: number;
  company_kind: CompanyKind;
  company_id: number;
  source_address: string;
  key_prefix: string | null;
  request_id: string;
}

export interface PortalAccountsTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  disabled_at: Timestamp | null;
  email: string;
  partner_id: number | null;
  merchant_id: number | null;
  password_hash: string | null;
  must_change_password: Generated<boolean>;
  last_signed_in_at: Timestamp | null;
}

export interface PortalSessionsTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  last_seen_at: Timestamp;
  account_id: number;
  token_digest: Buffer;
  notice: string | null;
}

export interface PortalSignInAttemptsTable {
  subject_digest: Buffer;
  window_began_at: Timestamp;
  attempts: Generated<number>;
}

export type InvitationStatus =
  | 'REQUESTED'
  | 'OPEN'
  | 'USED'
  | 'REPLACED'
  | 'EXPIRED'
  | 'UNDELIVERED';

export interface MerchantInvitationsTable {
  id: Generated<string>;
  created_at: Timestamp;
  settled_at: Timestamp | null;
  merchant_id: number;
  email: string;
  msisdn: string | null;
  status: Generated<InvitationStatus>;
  expires_at: Timestamp | null;
  token_digest: Buffer | null;
  token_ciphertext: string | null;
}

export type InvitationChannel = 'SMS' | 'EMAIL';

export type InvitationMessageStatus =
  | 'QUEUED'
  | 'SENDING'
  | 'SENT'
  | 'REFUSED'
  | 'UNKNOWN'
  | 'CANCELLED';

export interface InvitationMessagesTable {
  invitation_id: string;
  channel: InvitationChannel;
  created_at: Timestamp;
  settled_at: Timestamp | null;
  status: Generated<InvitationMessageStatus>;
  provider_reference: string | null;
  provider_message: string | null;
}

/** One row; see migration 6. */
export interface ReferenceDataVersionTable {
  version: Generated<number>;
}

/** By which counts of a partner's prices are remembered; a partner without a row has version 1. */
export interface PriceListVersionsTable {
  partner_id: number;
  version: number;
}

/** The tables as the migrations leave them. */
export interface Schema {
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
  redemptions: RedemptionsTable;
  messages: MessagesTable;
  topups: TopupsTable;
  topup_attempts: TopupAttemptsTable;
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
