import type { AccountChecked } from '../domain/payout-account.ts';
import type { OperationServices } from './services.ts';
import {
  StillProcessingError,
  WorkflowsUnavailableError,
} from './workflow-client/workflow-errors.ts';

/** Asks the providers for the payout account of a merchant; undefined where no answer has come in time. */
export async function checkPayoutAccount(
  { workflows, waits }: Pick<OperationServices, 'workflows' | 'waits'>,
  merchantId: number,
): Promise<AccountChecked | undefined> {
  try {
    return await workflows.askForAccount(merchantId, Date.now() + waits.callerWaitMs);
  } catch (error) {
    if (error instanceof StillProcessingError || error instanceof WorkflowsUnavailableError)
      return undefined;
    throw error;
  }
}
