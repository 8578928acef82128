import {
  ApplicationFailure,
  patched,
  type UpdateInput,
  type WorkflowInterceptorsFactory,
  workflowInfo,
} from '@temporalio/workflow';
import { inputShapes, updateShapes } from './command-shapes.js';
import { isForeign } from './foreign-payload.js';

/**
 * Refuses commands whose data was not encrypted by the service (design 10): whoever reaches Temporal
 * could send them. A refusal never fails the workflow task, since that would hold up money on hold.
 * Signals without data come from anybody; they only make a workflow look, or retry what failed.
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
      // Validators are not run in a replay, and the history may have been written by somebody else.
      async handleUpdate(input, next) {
        refuseUpdate(input);
        return next(input);
      },
      async handleSignal(input, next) {
        // No signal of ours has data. In a replay, one that was taken before is taken again.
        if (input.args.some(isForeign) && patched('drop-foreign-signals')) return;
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
