import { CancellationScope } from '@temporalio/workflow';
import { providers } from './activity-options.ts';
import type { TellOwnersInput } from './contracts.ts';
import { showDetails } from './current-details.ts';
import { untilNotRefused } from './steps/failures.ts';

/** The end of the e-mails, for the Temporal UI. */
export interface TellOwnersResult {
  readonly ended: 'told' | 'nobody-left';
}

/**
 * Tells the owners of a company that its access was changed, until the e-mails are sent. A
 * cancellation in the UI has no effect.
 */
export function tellOwners(input: TellOwnersInput): Promise<TellOwnersResult> {
  return CancellationScope.nonCancellable(async () => {
    const summary = 'Tell the owners of a changed access';
    const sent = await untilNotRefused(() =>
      providers.sendAccessNotice.executeWithOptions({ summary }, [input.auditId]),
    );
    showDetails(`**Told**: ${sent.recipients} people know of the change ${input.auditId}.`);
    return { ended: sent.recipients === 0 ? 'nobody-left' : 'told' };
  });
}
