import { type Selectable, sql } from 'kysely';
import type { StoredNumber } from '../../domain/phone.js';
import type { VoucherStatus } from '../../domain/voucher.js';
import type { Database } from '../connection.js';
import type { MessagesTable, RedemptionsTable, VoucherClaimsTable } from '../schema/all-tables.js';
import { newestReversal, type ShownReversal } from './shown-reversal.js';
import type { ListedVoucher } from './voucher-list.js';

/** Times are texts in ISO 8601; amounts are decimal strings. */
interface Claim {
  readonly id: string;
  readonly operationId: string;
  /** Null in claims older than the column. */
  readonly workflowId: string | null;
  readonly at: string;
  readonly company: string;
  /** Null is the whole balance. */
  readonly amount: string | null;
  readonly status: Selectable<VoucherClaimsTable>['status'];
}

interface Redemption {
  readonly id: number;
  readonly claimId: string | null;
  readonly at: string;
  readonly settledAt: string | null;
  readonly contradictedAt: string | null;
  readonly reversedAt: string | null;
  readonly operationId: string;
  readonly merchant: string;
  readonly toMerchant: string;
  readonly serviceFee: string;
  readonly status: Selectable<RedemptionsTable>['status'];
  readonly reference: string;
  /** Our reference towards the provider. */
  readonly paymentReference: string;
  readonly providerReference: string | null;
  readonly providerMessage: string | null;
  readonly reversal: ShownReversal | null;
}

interface Message {
  readonly claimId: string | null;
  readonly redemptionId: number | null;
  readonly at: string;
  readonly kind: MessagesTable['kind'];
  readonly msisdn: StoredNumber;
  readonly status: Selectable<MessagesTable>['status'];
  readonly providerReference: string | null;
  readonly providerMessage: string | null;
}

interface Move {
  readonly at: string;
  readonly from: VoucherStatus;
  readonly to: VoucherStatus;
}

/** A voucher with its history, each kind of event oldest first. Never its code. */
export interface VoucherDetail extends ListedVoucher {
  readonly partnerId: number;
  readonly held: string;
  readonly returned: string;
  readonly isRestricted: boolean;
  readonly sellingPriceUsd: string;
  readonly operationId: string;
  /** Of its status. */
  readonly moves: readonly Move[];
  readonly claims: readonly Claim[];
  readonly redemptions: readonly Redemption[];
  readonly messages: readonly Message[];
  /** Time of its expiry or cancellation. */
  readonly endedAt: Date | null;
}

/**
 * A voucher with its history in one snapshot: any for an operator, its own for a partner; a voucher of
 * another partner is not found.
 */
export async function findVoucherDetail(
  database: Database,
  voucherId: number,
  viewer: 'operator' | { readonly partnerId: number },
): Promise<VoucherDetail | undefined> {
  const isSeen = viewer === 'operator' ? sql`true` : sql`vouchers.partner_id = ${viewer.partnerId}`;
  const { rows } = await sql<VoucherDetail>`
    select vouchers.id, vouchers.partner_id as "partnerId", vouchers.created_at as "createdAt", expires_at as "expiresAt",
      serial_number as "serialNumber", vouchers.status, owner_msisdn as "ownerMsisdn",
      merchant_id as "merchantId", merchant_name as "merchantName", amount, remaining, held, returned,
      is_restricted as "isRestricted", selling_price_usd as "sellingPriceUsd",
      operation_id as "operationId",
      (select max(changed_at) from voucher_status_changes
        where voucher_id = vouchers.id and to_status in ('EXPIRED', 'CANCELLED')) as "endedAt",
      (${moves}) as moves, (${claims}) as claims, (${redemptions}) as redemptions, (${messages}) as messages
    from vouchers join merchants on merchants.id = vouchers.merchant_id
    where vouchers.id = ${voucherId} and ${isSeen}`.execute(database);
  return rows[0];
}

const moves = sql`
  select coalesce(json_agg(json_build_object('at', changed_at, 'from', from_status, 'to', to_status)
    order by id), '[]')
  from voucher_status_changes where voucher_id = vouchers.id`;

const claims = sql`
  select coalesce(json_agg(json_build_object('id', claim.id, 'operationId', claim.operation_id,
    'workflowId', claim.workflow_id, 'at', claim.created_at, 'status', claim.status,
    'amount', claim.amount::text, 'company', coalesce(by_merchant.merchant_name, company_name))
    order by claim.created_at, claim.id), '[]')
  from voucher_claims as claim
  left join merchants as by_merchant
    on claim.company_kind = 'merchant' and by_merchant.id = claim.company_id
  left join partners on claim.company_kind = 'partner' and partners.id = claim.company_id
  where claim.voucher_id = vouchers.id`;

const redemptions = sql`
  select coalesce(json_agg(json_build_object('id', redemption.id, 'claimId', redemption.claim_id,
    'at', redemption.created_at,
    'settledAt', settled_at, 'contradictedAt', contradicted_at, 'reversedAt', reversed_at,
    'operationId', redemption.operation_id, 'merchant', payee.merchant_name,
    'toMerchant', to_merchant::text, 'serviceFee', service_fee::text,
    'status', redemption.status, 'reference', platform_reference,
    'paymentReference', payment_reference,
    'providerReference', provider_reference, 'providerMessage', provider_message,
    'reversal', ${newestReversal(sql`redemption.id`)})
    order by redemption.id), '[]')
  from redemptions as redemption
  join merchants as payee on payee.id = redemption.merchant_id
  where redemption.voucher_id = vouchers.id`;

const messages = sql`
  select coalesce(json_agg(json_build_object('claimId', message.claim_id,
    'redemptionId', message.redemption_id, 'at', coalesce(settled_at, message.created_at),
    'kind', kind, 'msisdn', msisdn, 'status', message.status,
    'providerReference', provider_reference, 'providerMessage', provider_message) order by message.id), '[]')
  from messages as message where message.voucher_id = vouchers.id`;
