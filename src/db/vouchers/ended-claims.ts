import type { DatabaseTransaction } from '../connection.ts';
import { endClaim } from './claims.ts';

export interface EndedClaim {
  readonly operationId: string;
  readonly workflowId: string;
}

/**
 * Ends the live claim of a voucher, if there is one, because a new one replaces it or the voucher is
 * cancelled. Returns the operation and the workflow of the ended claim.
 */
export async function endLiveClaim(
  transaction: DatabaseTransaction,
  claimId: string | null,
  status: 'SUPERSEDED' | 'CANCELLED',
): Promise<EndedClaim | null> {
  if (claimId === null) return null;
  await endClaim(transaction, claimId, status);
  return endedClaim(transaction, claimId);
}

const endedClaims = (transaction: DatabaseTransaction) =>
  transaction
    .selectFrom('voucher_claims')
    .select(['operation_id as operationId', 'workflow_id as workflowId'])
    .where('status', '<>', 'OPEN');

/** An ended claim. */
export const endedClaim = (
  transaction: DatabaseTransaction,
  claimId: string,
): Promise<EndedClaim> =>
  endedClaims(transaction).where('id', '=', claimId).executeTakeFirstOrThrow();

/**
 * The claim of a voucher that ended last in this way, before another claim or as the last one; null where
 * there is none. A step that is repeated names it once more, because its workflow may not know its end.
 */
export async function lastEndedClaim(
  transaction: DatabaseTransaction,
  ended: {
    readonly voucherId: number;
    readonly status: 'SUPERSEDED' | 'CANCELLED';
    /** The id of the claim that came next. */
    readonly before?: string;
  },
): Promise<EndedClaim | null> {
  const { voucherId, status, before } = ended;
  let claims = endedClaims(transaction)
    .where('voucher_id', '=', voucherId)
    .where('status', '=', status);
  if (before !== undefined)
    claims = claims.where('created_at', '<', ({ selectFrom }) =>
      selectFrom('voucher_claims').select('created_at').where('id', '=', before),
    );
  return (await claims.orderBy('created_at', 'desc').limit(1).executeTakeFirst()) ?? null;
}
