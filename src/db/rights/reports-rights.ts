import type { Schema } from '../schema/all-tables.ts';

const ALL = 'select';
const columns = (...names: readonly string[]): string => `select (${names.join(', ')})`;

/** Columns that every payment or attempt at a provider has. */
const OUTCOME = [
  ...['status', 'not_done_by', 'is_done', 'changed_at', 'charged', 'created_at', 'settled_at'],
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
  provider_balances: ALL,
  settlements: ALL,
  message_failovers: ALL,
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
    ...['credited_to', ...OUTCOME],
  ),
  topups: columns(
    ...['id', 'created_at', 'updated_at', 'operation_id', 'partner_id', 'kind', 'product_id'],
    ...['amount', 'operator', 'status', 'attempt', 'provider_reference', 'exchange_rate'],
    ...['currency', 'originating_country', 'foreign_currency_amount'],
  ),
  topup_attempts: columns(
    ...['topup_id', 'attempt', 'operation_id', 'reference', 'provider_product_id', ...OUTCOME],
  ),
  // The words of providers may name persons.
  placements: columns(
    ...['id', 'kind', 'reference', 'provider', 'operation_id', 'voucher_id', 'ordered', 'position'],
    ...['placed_at', 'sent_at', 'word', 'done', 'provider_reference', 'said_at', 'doubted_at'],
    ...['is_unclear', 'silent_since', 'ask_at'],
  ),
  observations: columns(
    ...['id', 'created_at', 'placement_id', 'at', 'source', 'word', 'done', 'provider_reference'],
  ),
  cases: columns(
    ...['id', 'subject_kind', 'subject', 'why', 'amount', 'provider', 'reference', 'partner_id'],
    ...['merchant_id', 'voucher_id', 'topup_id', 'is_blocking', 'opened_at', 'closed_at'],
  ),
  merchants: columns(
    ...['id', 'created_at', 'updated_at', 'deleted_at', 'merchant_name', 'merchant_type'],
    ...['identifier_type', 'identifier', 'merchant_category_id', 'status', 'service_fee_percent'],
  ),
};
