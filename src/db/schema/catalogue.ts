import type { Generated, GeneratedAlways } from 'kysely';
import type { PayoutAccountState } from '../../domain/payout-account.ts';
import type { MobileMoneyProviderName } from '../../domain/providers.ts';
import type { MessageLanguage } from '../../domain/vouchers/messages.ts';
import type { Json, Numeric, Timestamp } from './columns.ts';

export interface PartnersTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  updated_at: Timestamp;
  company_name: string;
  status: Generated<'ACTIVE' | 'SUSPENDED'>;
  token_version: Generated<number>;
  /** The company's own budgets; null where the settings apply. */
  messages_per_day: number | null;
  wrong_codes_per_day: number | null;
  /** Daily limits of vouchers and top-ups, set by operators; null without one. */
  daily_amount: Numeric | null;
  daily_operations: number | null;
  /** Of the messages to the owners of its vouchers. */
  message_language: Generated<MessageLanguage>;
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
  /** The company's own budgets; null where the settings apply. */
  messages_per_day: number | null;
  wrong_codes_per_day: number | null;
}

export interface MerchantPayoutAccountsTable {
  id: GeneratedAlways<number>;
  created_at: Timestamp;
  replaced_at: Timestamp | null;
  merchant_id: number;
  party_key: string;
  party_value: string;
  /** Whom the operator expects to hold it. */
  holder_name: Generated<string | null>;
}

/** What a provider says of a payout account. */
export interface PayoutAccountChecksTable {
  payout_account_id: number;
  provider: MobileMoneyProviderName;
  state: PayoutAccountState;
  /** As the provider tells it. */
  holder_name: string | null;
  /** The account has a registered holder, and this provider has not confirmed it. */
  lacks_confirmation: Generated<boolean>;
  checked_at: Timestamp;
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
  /** The provider's id of a package; a package without one is not sold. */
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

/** One row; see migration 6. */
export interface ReferenceDataVersionTable {
  version: Generated<number>;
}

/** Versions of the cached counts of a partner's prices; a partner without a row has version 1. */
export interface PriceListVersionsTable {
  partner_id: number;
  version: number;
}
