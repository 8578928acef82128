import type { checkPayoutAccount } from '../../../workflows/check-payout-account.ts';
import { checkPayoutAccountId } from '../../../workflows/workflow-ids.ts';
import type { AccountChecked } from '../../domain/payout-account.ts';
import {
  searchAttributesOf,
  WORKFLOW_TASK_TIMEOUT,
} from '../../runtime/temporal/workflow-starts.ts';
import type { AnswerOf } from './workflow-answers.ts';
import { USE_EXISTING, type WorkflowCallOptions } from './workflow-call-options.ts';

export function createPayoutAccountCalls(
  { client, taskQueue }: WorkflowCallOptions,
  answerOf: AnswerOf,
) {
  /** Its answer waits for the providers. Who asks at the same moment gets the same answer. */
  const askForAccount = (merchantId: number, deadline: number): Promise<AccountChecked> =>
    answerOf(undefined, deadline, () =>
      client.workflow.execute<typeof checkPayoutAccount>('checkPayoutAccount', {
        workflowId: checkPayoutAccountId(merchantId, taskQueue),
        taskQueue,
        args: [{ merchantId }],
        ...USE_EXISTING,
        workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
        staticSummary: `Payout account of merchant ${merchantId}`,
        ...searchAttributesOf('check-payout-account', { merchantId }),
      }),
    );

  return { askForAccount };
}
