import { defineSearchAttributeKey } from '@temporalio/common';
import { caseId } from '../../../workflows/workflow-ids.ts';
import type { Stack } from '../../support/stack.ts';

export const needsAction = defineSearchAttributeKey('NeedsAction', 'BOOL');

/** The workflow of a case of a payment or top-up. */
export const caseWorkflow = ({ temporal, config }: Stack, kind: string, reference: string) =>
  temporal.client.workflow.getHandle(
    caseId({ kind: kind as 'reversal', reference }, config.TEMPORAL_TASK_QUEUE),
  );

/** What a case's workflow says of itself. */
export async function caseOf(stack: Stack, kind: string, reference: string) {
  const { status, typedSearchAttributes } = await caseWorkflow(stack, kind, reference).describe();
  return { status: status.name, needsAction: typedSearchAttributes.get(needsAction) };
}
