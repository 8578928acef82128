import type { InjectedSinks } from '@temporalio/worker';
import type { TraceSinks } from '../../../workflows/tracing/carry-trace.ts';
import { tracing } from '../../tracing/tracing.ts';

/**
 * Where workflows tell their ends. Every worker has it: a workflow that a traced process started may
 * run in one that is not. What is replayed tells nothing.
 */
export const traceSinks: InjectedSinks<TraceSinks> = {
  trace: {
    workflowEnded: {
      callDuringReplay: false,
      fn({ workflowType, workflowId, runStartTime }, { parent, spanId, failure }) {
        tracing()?.record({
          name: `RunWorkflow ${workflowType}`,
          kind: 'consumer',
          parent,
          spanId,
          attributes: { workflowId },
          startedAtMs: runStartTime.getTime(),
          endedAtMs: Date.now(),
          failure,
        });
      },
    },
  },
};
