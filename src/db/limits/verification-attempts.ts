import { sql } from 'kysely';
import type { Company } from '../../domain/voucher.js';
import type { DatabaseTransaction } from '../connection.js';
import type { OperationIdentity } from '../operations/operations.js';
import { type Counted, countCompanyWrongCode } from './company-daily-counts.js';

/**
 * Part of a query: a company's wrong codes for a voucher count for a day, and the oldest of them says
 * when its next try is allowed. Those of other companies keep nobody waiting.
 */
export const wrongCodes = (voucherId: number, { kind, id }: Company) => sql`
  select count(*)::int as wrong_codes,
    coalesce(ceil(extract(epoch from min(created_at) + interval '1 day' - now()))::int, 0)
      as wrong_codes_retry_seconds
  from verification_attempts
  where voucher_id = ${voucherId} and created_at > now() - interval '1 day'
    and (company_kind is null or company_kind = ${kind} and company_id = ${id})`;

/** A request whose code was compared and found wrong. */
export interface WrongCode extends Pick<OperationIdentity, 'operationId' | 'requestDigest'> {
  readonly voucherId: number;
  /** The claim whose code it was compared with. */
  readonly claimId: string | null;
  readonly company: Company;
}

/**
 * Counts a request's wrong code once, however often it is found wrong: for the company and the voucher,
 * for the voucher's life, and for the company's day. It stands in the transaction that also settles the
 * operation, so a repeated request is answered from there and not compared again.
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

/** A right code clears the count of the company that sent it, and nobody else's. */
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
