import type { DatabaseTransaction } from '../db/connection.ts';
import type { RepairRow } from '../db/repairs/repairs.ts';
import { endedClaim } from '../db/vouchers/claims.ts';
import { findRepairKind } from './repair-kinds.ts';

/**
 * The workflow of the claim that ended with a repair, whenever this is asked: the first answer may have
 * been lost. Undefined where no claim ended.
 */
export async function endedClaimWorkflow(
  transaction: DatabaseTransaction,
  { state, kind, arguments: { claimId } }: Pick<RepairRow, 'state' | 'kind' | 'arguments'>,
): Promise<string | undefined> {
  if (state !== 'DONE' || findRepairKind(kind)?.endsClaim !== true) return undefined;
  return (await endedClaim(transaction, String(claimId))).workflowId;
}
