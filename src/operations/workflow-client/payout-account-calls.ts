import type { checkPayoutAccount } from '../../../workflows/check-payout-account.js';
import { checkPayoutAccountId } from '../../../workflows/workflow-ids.js';
import type { AccountChecked } from '../../domain/providers/payout-account.js';
import { searchAttributesOf, WORKFLOW_TASK_TIMEOUT } from '../../temporal/workflow-starts.js';
import type { AnswerOf } from './workflow-answers.js';
import { USE_EXISTING, type WorkflowCallOptions } from './workflow-call-options.js';

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
