import { sql } from 'kysely';
import type { Company } from '../../domain/voucher.ts';
import type { DatabaseTransaction } from '../connection.ts';
import type { OperationIdentity } from '../operations/operations.ts';
import { type Counted, countCompanyWrongCode } from './company-daily-counts.ts';

/**
 * SQL expression: a company's wrong codes for a voucher within a day, and the time of its next
 * attempt. Wrong codes of other companies do not count.
 */
export const wrongCodes = (voucherId: number, { kind, id }: Company) => sql`
  select count(*)::int as wrong_codes,
    coalesce(ceil(extract(epoch from min(created_at) + interval '1 day' - now()))::int, 0)
      as wrong_codes_retry_seconds
  from verification_attempts
  where voucher_id = ${voucherId} and created_at > now() - interval '1 day'
    and (company_kind is null or company_kind = ${kind} and company_id = ${id})`;

/** A request whose code was compared and is wrong. */
export interface WrongCode extends Pick<OperationIdentity, 'operationId' | 'requestDigest'> {
  readonly voucherId: number;
  /** The claim of the compared code. */
  readonly claimId: string;
  readonly company: Company;
}

/**
 * Counts a request's wrong code once, even if it is compared repeatedly: for the company and the
 * voucher, for the voucher's life, and for the company's day. The same transaction settles the
 * operation, so a repeated request gets the stored answer without a comparison.
 */
export async function countWrongCode(
  transaction: DatabaseTransaction,
  { voucherId, claimId, company, operationId, requestDigest }: WrongCode,
  companyBudget: number,
): Promise<Pick<Counted, 'isLast'>> {
  const counted = await transaction
    .insertInto('verification_attempts')
    .values({
      voucher_id: voucherId,
      operation_id: operationId,
      request_digest: requestDigest,
      claim_id: claimId,
      company_kind: company.kind,
      company_id: company.id,
    })
    .onConflict((conflict) =>
      conflict.columns(['operation_id', 'request_digest', 'claim_id']).doNothing(),
    )
    .returning('id')
    .executeTakeFirst();
  if (!counted) return { isLast: false };
  await transaction
    .updateTable('vouchers')
    .set({ wrong_codes: sql<number>`wrong_codes + 1` })
    .where('id', '=', voucherId)
    .execute();
  return countCompanyWrongCode(transaction, company, companyBudget);
}

/** A correct code resets only the count of its own company. */
export async function clearWrongCodes(
  transaction: DatabaseTransaction,
  voucherId: number,
  { kind, id }: Company,
): Promise<void> {
  await transaction
    .deleteFrom('verification_attempts')
    .where('voucher_id', '=', voucherId)
    .where('company_kind', '=', kind)
    .where('company_id', '=', id)
    .execute();
}
