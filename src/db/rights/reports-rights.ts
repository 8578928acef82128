import type { Schema } from '../schema/all-tables.ts';

const ALL = 'select';
const columns = (...names: readonly string[]): string => `select (${names.join(', ')})`;

/** Columns that every payment or attempt at a provider has. */
const OUTCOME = [
  ...['status', 'provider', 'provider_reference', 'not_done_by', 'recheck_at', 'doubted_since'],
  ...['contradicted_at', 'reversed_at', 'settled_by', 'disagreement', 'unbooked_since'],
  ...['created_at', 'settled_at'],
] as const;

/**
 * What reports read: the books, and what companies bought, redeemed and sent. They see no secret, no
 * phone number, no payee and no person; a table that is not here is not theirs.
 */
export const reportsRights: Readonly<Partial<Record<keyof Schema, string>>> = {
  ledger_accounts: ALL,
  ledger_transfers: ALL,
  ledger_day_sums: ALL,
  payout_hour_sums: ALL,
  sale_hour_sums: ALL,
  row_counts: ALL,
  book_checkpoints: ALL,
  checked_balances: ALL,
  checked_holdings: ALL,
  unchecked_changes: ALL,
  voucher_status_changes: ALL,
  redemption_reversals: ALL,
  provider_statements: ALL,
  provider_breaks: ALL,
  provider_balances: ALL,
  provider_failovers: ALL,
  partners: ALL,
  merchant_categories: ALL,
  product_categories: ALL,
  products: ALL,
  partner_products: ALL,
  promos: ALL,
  gift_denominations: ALL,
  partner_gift_denomination_prices: ALL,
  bulk_orders: ALL,
  vouchers: columns(
    ...['id', 'created_at', 'operation_id', 'partner_id', 'merchant_id', 'denomination_id'],
    ...['serial_number', 'is_restricted', 'amount', 'remaining', 'held', 'returned', 'status'],
    ...['expires_at', 'current_claim_id', 'reminded_at', 'selling_price_usd', 'exchange_rate'],
    ...['currency', 'originating_country', 'foreign_currency_amount'],
  ),
  voucher_claims: columns(
    ...['id', 'created_at', 'voucher_id', 'company_kind', 'company_id', 'amount', 'was_whole'],
    ...['service_fee_percent', 'status', 'expires_at'],
  ),
  redemptions: columns(
    ...['id', 'operation_id', 'voucher_id', 'claim_id', 'company_kind', 'company_id'],
    ...['merchant_id', 'to_merchant', 'service_fee', 'payment_reference', 'platform_reference'],
    ...['unknown_since', ...OUTCOME],
  ),
  topups: columns(
    ...['id', 'created_at', 'updated_at', 'operation_id', 'partner_id', 'kind', 'product_id'],
    ...['amount', 'operator', 'status', 'attempt', 'provider_reference', 'exchange_rate'],
    ...['currency', 'originating_country', 'foreign_currency_amount'],
  ),
  topup_attempts: columns(
    ...['topup_id', 'attempt', 'operation_id', 'reference', 'provider_product_id', ...OUTCOME],
  ),
  recovered_payments: columns(
    ...['id', 'created_at', 'kind', 'reference', 'operation_id', 'provider', 'provider_reference'],
    ...['provider_status', 'made_at', 'amount', 'merchant_id', 'voucher_id', 'settled_at'],
    ...['settled_by', 'partner_id'],
  ),
  merchants: columns(
    ...['id', 'created_at', 'updated_at', 'deleted_at', 'merchant_name', 'merchant_type'],
    ...['identifier_type', 'identifier', 'merchant_category_id', 'status', 'service_fee_percent'],
  ),
};
