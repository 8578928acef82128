import {
  ApplicationFailure,
  type UpdateInput,
  type WorkflowInterceptorsFactory,
  workflowInfo,
} from '@temporalio/workflow';
import { inputShapes, updateShapes } from './command-shapes.ts';
import { isForeign } from './foreign-payload.ts';

/**
 * Refuses commands whose data the service did not encrypt (design 10), because anybody with access
 * to Temporal could send them. A refusal never fails the workflow task, since that would block
 * money on hold. Signals without data are accepted from anybody; they only trigger a check, or the
 * retry of a failed top-up.
 */
export const interceptors: WorkflowInterceptorsFactory = () => ({
  inbound: [
    {
      async execute(input, next) {
        const { workflowType } = workflowInfo();
        if (isRefused(input.args, inputShapes[workflowType]))
          throw refusal(`start ${workflowType}`);
        return next(input);
      },
      validateUpdate(input, next) {
        refuseUpdate(input);
        next(input);
      },
      // A replay skips validators, and somebody else may have written the history.
      async handleUpdate(input, next) {
        refuseUpdate(input);
        return next(input);
      },
      async handleSignal(input, next) {
        // Our signals have no data, but one that changes only texts.
        if (input.args.some(isForeign)) return;
        await next(input);
      },
    },
  ],
});

function refuseUpdate({ name, args }: UpdateInput): void {
  if (isRefused(args, updateShapes[name])) throw refusal(`update by ${name}`);
}

const isRefused = (
  args: readonly unknown[],
  hasShape: ((input: unknown) => boolean) | undefined,
): boolean => args.some(isForeign) || (hasShape !== undefined && !hasShape(args[0]));

const refusal = (what: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(
    `Refused to ${what}: its data is missing, or was not encrypted by this service for this (PAYLOAD_KEYS)`,
    'CommandFromOutside',
  );
