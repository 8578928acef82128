import { claimWorkflowId } from '../../workflows/workflow-ids.js';
import type { DatabaseTransaction } from '../db/connection.js';
import type { RepairRow } from '../db/repairs/audit-repair.js';
import { endedClaim } from '../db/vouchers/ended-claims.js';
import { findRepairKind } from './repair-kinds.js';

/**
 * The workflow of the claim that ended with a repair, whenever this is asked: the first answer may have
 * been lost. Undefined where no claim ended.
 */
export async function endedClaimWorkflow(
  transaction: DatabaseTransaction,
  { state, kind, arguments: { claimId } }: Pick<RepairRow, 'state' | 'kind' | 'arguments'>,
): Promise<string | undefined> {
  if (state !== 'DONE' || findRepairKind(kind)?.endsClaim !== true) return undefined;
  return claimWorkflowId(await endedClaim(transaction, String(claimId)));
}
