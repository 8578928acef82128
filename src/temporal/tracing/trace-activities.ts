import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { tracing } from '../../tracing/tracing.ts';
import { traceparentOf } from './trace-calls.ts';

/** A span of each attempt of an activity, below its workflow's; what it does belongs to it. */
export const traceActivities: ActivityInterceptorsFactory = ({ info }) => ({
  inbound: {
    execute(input, next) {
      const traces = tracing();
      if (!traces) return next(input);
      const { activityType, attempt, isLocal, workflowExecution } = info;
      return traces.inSpan(
        {
          name: `RunActivity ${activityType}`,
          kind: 'consumer',
          parent: traceparentOf(input.headers),
          attributes: { workflowId: workflowExecution?.workflowId, attempt, isLocal },
        },
        () => next(input),
      );
    },
  },
});
