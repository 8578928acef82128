import {
  ApplicationFailure,
  log,
  type WorkflowInterceptorsFactory,
  workflowInfo,
} from '@temporalio/workflow';
import { type Address, addressed, inputFor } from '../addressed-input.ts';
import * as workflows from '../index.ts';

/**
 * Addresses the messages of a workflow to others. It refuses messages that were not addressed to
 * it, or that the service did not encrypt for it: anybody with access to Temporal could
 * send them. A refusal never fails the workflow task, since that would block money on hold. Signals
 * without data are accepted from anybody: they trigger a check, the retry of a failed top-up, or the end of a claim that
 * waits for its code.
 */
export const interceptors: WorkflowInterceptorsFactory = () => ({
  inbound: [
    {
      async execute(input, next) {
        const { workflowType } = workflowInfo();
        const isBare = input.args.length === 0 && takesNoInput(workflowType);
        const args = isBare ? [] : requireInput(`start ${workflowType}`, input.args);
        return next({ ...input, args });
      },
      validateUpdate(input, next) {
        next({ ...input, args: requireInput(`update ${input.name}`, input.args) });
      },
      // A replay skips validators, and somebody else may have written the history.
      async handleUpdate(input, next) {
        return next({ ...input, args: requireInput(`update ${input.name}`, input.args) });
      },
      async handleSignal(input, next) {
        const to = `signal ${input.signalName}` as const;
        const args = input.args.length === 0 ? [] : inputFor(to, input.args);
        if (args) await next({ ...input, args });
        else logRefused(to);
      },
    },
  ],
  outbound: [
    {
      startChildWorkflowExecution: (input, next) => {
        const args = addressed(`start ${input.workflowType}`, input.options.args);
        return next({ ...input, options: { ...input.options, args } });
      },
      continueAsNew: (input, next) =>
        next({ ...input, args: addressed(`start ${input.options.workflowType}`, input.args) }),
      signalWorkflow: (input, next) =>
        next({ ...input, args: addressed(`signal ${input.signalName}`, input.args) }),
    },
  ],
});

const functions: Readonly<Record<string, { readonly length: number }>> = workflows;

/** Schedules start such workflows, and anybody may: they find in the database what is due. */
const takesNoInput = (workflowType: string): boolean => !functions[workflowType]?.length;

function requireInput(to: Address, data: readonly unknown[]): unknown[] {
  const input = inputFor(to, data);
  if (input) return input;
  logRefused(to);
  throw ApplicationFailure.nonRetryable(
    `Refused to ${to}: its data is missing, or this service did not encrypt it for this receiver (PAYLOAD_KEYS)`,
    'CommandFromOutside',
  );
}

const logRefused = (command: Address): void =>
  log.warn('A command from outside was refused', { command });
