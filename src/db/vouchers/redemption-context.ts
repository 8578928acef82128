import { sql } from 'kysely';
import type { Route } from '../../domain/providers/routes.ts';
import type { Caller } from '../../domain/voucher.ts';
import { isStillAdmitted } from '../access/access.ts';
import { accountWithChecks, type PaidAccount } from '../catalogue/payout-account-checks.ts';
import type { DatabaseTransaction } from '../connection.ts';
import { type CompanyBudgets, companyBudgets } from '../limits/company-daily-counts.ts';
import { wrongCodes } from '../limits/verification-attempts.ts';
import { blockedBy } from '../positions/cases.ts';
import { routesFor } from '../providers/provider-routes.ts';
import { partialRedemptions } from './redemptions.ts';

/** The facts of a redemption besides the voucher's own row. */
export interface RedemptionContext extends CompanyBudgets {
  readonly is_admitted: boolean;
  readonly partner_status: 'ACTIVE' | 'SUSPENDED';
  readonly merchant_status: 'ACTIVE' | 'DEACTIVATED' | null;
  readonly merchant_name: string | null;
  readonly service_fee_percent: string | null;
  readonly party_key: string | null;
  readonly party_value: string | null;
  readonly payout_account: PaidAccount;
  /** Null unless this company made the live claim and it has not expired. */
  readonly claim_id: string | null;
  readonly claim_amount: string | null;
  readonly claim_was_whole: boolean | null;
  readonly claim_fee_percent: string | null;
  readonly claim_code_digest: string | null;
  readonly claim_code_digits: number | null;
  readonly partial_redemptions: number;
  /** Our references of payments that could be made twice, as long as their cases are open. */
  readonly blocked_by: readonly string[];
  readonly wrong_codes: number;
  readonly wrong_codes_retry_seconds: number;
  /** Of payments for this partner and merchant. */
  readonly payout_routes: readonly Route[];
}

/** Reads the facts of a redemption; the transaction must hold the lock of the voucher's row. */
export async function redemptionContext(
  transaction: DatabaseTransaction,
  voucher: {
    readonly id: number;
    readonly partner_id: number;
    readonly current_claim_id: string | null;
  },
  redemption: { readonly company: Caller; readonly merchantId: number },
): Promise<RedemptionContext> {
  const { company, merchantId } = redemption;
  const { rows } = await sql<RedemptionContext>`
    select ${isStillAdmitted(company, 'redeem-gift')} as is_admitted,
      partners.status as partner_status, merchants.status as merchant_status,
      merchants.merchant_name, merchants.service_fee_percent,
      account.party_key, account.party_value, ${accountWithChecks} as payout_account,
      claim.id as claim_id, claim.amount as claim_amount, claim.was_whole as claim_was_whole,
      claim.service_fee_percent as claim_fee_percent, claim.code_digest as claim_code_digest,
      claim.code_digits as claim_code_digits, ${companyBudgets(company)},
      ${partialRedemptions(voucher.id)} as partial_redemptions,
      ${blockedBy(voucher.id)} as blocked_by,
      wrong_codes, wrong_codes_retry_seconds,
      ${routesFor('payout', { partnerId: voucher.partner_id, merchantId })} as payout_routes
    from partners
    left join merchants on merchants.id = ${merchantId} and merchants.deleted_at is null
    left join merchant_payout_accounts as account
      on account.merchant_id = merchants.id and account.replaced_at is null
    left join voucher_claims as claim
      on claim.id = ${voucher.current_claim_id} and claim.status = 'OPEN'
        and claim.expires_at > clock_timestamp()
        and claim.company_kind = ${company.kind} and claim.company_id = ${company.id}
    cross join (${wrongCodes(voucher.id, company)}) as attempts
    where partners.id = ${voucher.partner_id}`.execute(transaction);
  const [context] = rows;
  if (!context) throw new Error('The voucher has no partner');
  return context;
}
