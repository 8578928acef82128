import type { DatabaseTransaction } from '../../src/db/connection.js';
import {
  countCompanyMessage,
  noteMessagesSpent,
} from '../../src/db/limits/company-daily-counts.js';
import type { ClaimContext } from '../../src/db/vouchers/claim-context.js';
import { refuseMessage } from '../../src/domain/vouchers/claim.js';
import type { ClaimCommand } from '../../workflows/contracts.js';
import { raiseBudgetAlarm } from '../budget-alarm.js';
import { RefusedError } from '../database-step.js';
import type { ActivityDependencies } from '../dependencies.js';

/** Who claims, and the budget of those who have none of their own. */
interface Claimant {
  readonly command: Pick<ClaimCommand, 'company'>;
  readonly dependencies: Pick<ActivityDependencies, 'limits'>;
}

const budgetOf = (
  { messages_per_day }: Pick<ClaimContext, 'messages_per_day'>,
  { dependencies: { limits } }: Claimant,
) => messages_per_day ?? limits.messagesPerCompanyAndDay;

/** The last step of a claim, so that claims of one company wait only for each other's commit. */
export async function countClaimMessage(
  transaction: DatabaseTransaction,
  claimant: Claimant,
  context: ClaimContext,
): Promise<void> {
  const { company } = claimant.command;
  const budget = budgetOf(context, claimant);
  const { isWithin, isLast } = await countCompanyMessage(transaction, company, budget);
  if (!isWithin)
    throw new RefusedError(refuseMessage({ retryAfterSeconds: context.seconds_left_of_day }));
  if (isLast) raiseBudgetAlarm(company, 'messages', budget);
}

/** A budget that was lowered below what was counted is reached by the first that it refuses. */
export async function noteSpentMessages(
  transaction: DatabaseTransaction,
  claimant: Claimant,
  context: ClaimContext,
): Promise<void> {
  const { company } = claimant.command;
  const budget = budgetOf(context, claimant);
  if (await noteMessagesSpent(transaction, company, budget))
    raiseBudgetAlarm(company, 'messages', budget);
}
