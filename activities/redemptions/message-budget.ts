import type { DatabaseTransaction } from '../../src/db/connection.ts';
import {
  countCompanyMessage,
  noteMessagesSpent,
} from '../../src/db/limits/company-daily-counts.ts';
import type { ClaimContext } from '../../src/db/vouchers/claim-context.ts';
import { refuseMessage } from '../../src/domain/vouchers/claim.ts';
import type { ClaimCommand } from '../../workflows/contracts.ts';
import { raiseBudgetAlarm } from '../budget-alarm.ts';
import { RefusedError } from '../database-step.ts';
import type { ActivityDependencies } from '../dependencies.ts';

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
