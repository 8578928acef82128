import { sql } from 'kysely';
import type { Route } from '../../domain/providers/routes.ts';
import type { Caller } from '../../domain/voucher.ts';
import { isStillAdmitted } from '../access/access.ts';
import { accountWithChecks, type PaidAccount } from '../catalogue/payout-account-checks.ts';
import type { DatabaseTransaction } from '../connection.ts';
import {
  type CompanyBudgets,
  companyBudgets,
  companyMessagesToday,
  secondsLeftOfDay,
} from '../limits/company-daily-counts.ts';
import { wrongCodes } from '../limits/verification-attempts.ts';
import { isClaimBlocked } from '../positions/cases.ts';
import { routesFor } from '../providers/provider-routes.ts';
import { mayHaveArrived, messageCounts } from './messages.ts';
import { partialRedemptions } from './redemptions.ts';

/** The facts of a claim besides the voucher's own row. */
export interface ClaimContext extends CompanyBudgets {
  readonly is_admitted: boolean;
  readonly partner_status: 'ACTIVE' | 'SUSPENDED';
  /** Of the merchant to be paid; null while it is unknown. */
  readonly merchant_status: 'ACTIVE' | 'DEACTIVATED' | null;
  readonly service_fee_percent: string | null;
  readonly has_payout_account: boolean;
  readonly party_key: string | null;
  readonly party_value: string | null;
  readonly payout_account: PaidAccount;
  readonly partial_redemptions: number;
  /** A payment of the voucher could be made twice, as long as its case is open. */
  readonly is_blocked: boolean;
  readonly wrong_codes: number;
  readonly wrong_codes_retry_seconds: number;
  readonly seconds_since_message: number | null;
  readonly messages_today: number;
  readonly messages_retry_seconds: number;
  readonly refused_messages: number;
  readonly refused_messages_retry_seconds: number;
  /** Of the claiming company. */
  readonly company_messages: number;
  readonly seconds_left_of_day: number;
  /** Of payments for this partner and, where it is known, merchant. */
  readonly payout_routes: readonly Route[];
}

/** Reads the facts of a claim; the transaction must hold the locks of voucher and number. */
export async function claimContext(
  transaction: DatabaseTransaction,
  voucher: {
    readonly id: number;
    readonly partner_id: number;
    /** Of the owner's number; undefined without an owner. */
    readonly numberHash: string | undefined;
  },
  request: { readonly company: Caller; readonly merchantId: number | null },
): Promise<ClaimContext> {
  const { company, merchantId } = request;
  const { rows } = await sql<ClaimContext>`
    select ${isStillAdmitted(company, 'initiate-claim')} as is_admitted,
      partners.status as partner_status, merchants.status as merchant_status,
      merchants.service_fee_percent, account.id is not null as has_payout_account,
      account.party_key, account.party_value, ${accountWithChecks} as payout_account,
      ${partialRedemptions(voucher.id)} as partial_redemptions,
      ${isClaimBlocked(voucher.id)} as is_blocked,
      wrong_codes, wrong_codes_retry_seconds,
      messages_today, messages_retry_seconds, refused_messages, refused_messages_retry_seconds,
      ${companyBudgets(company)}, ${companyMessagesToday(company)} as company_messages,
      ${secondsLeftOfDay} as seconds_left_of_day,
      ${routesFor('payout', { partnerId: voucher.partner_id, merchantId })} as payout_routes,
      (select extract(epoch from clock_timestamp() - max(created_at))::float8 from messages
        where voucher_id = ${voucher.id} and kind = 'VERIFICATION_CODE'
          and ${mayHaveArrived}) as seconds_since_message
    from partners
    left join merchants on merchants.id = ${merchantId} and merchants.deleted_at is null
    left join merchant_payout_accounts as account
      on account.merchant_id = merchants.id and account.replaced_at is null
    cross join (${wrongCodes(voucher.id, company)}) as attempts
    cross join (${messageCounts(voucher.numberHash)}) as numbers
    where partners.id = ${voucher.partner_id}`.execute(transaction);
  const [context] = rows;
  if (!context) throw new Error('The voucher has no partner');
  return context;
}
