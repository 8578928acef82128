import type { Headers } from '@temporalio/common';
import {
  AsyncLocalStorage,
  ContinueAsNew,
  defaultPayloadConverter,
  proxySinks,
  type Sinks,
  type WorkflowInterceptorsFactory,
  workflowInfo,
} from '@temporalio/workflow';

/** What a traced workflow tells its worker. */
export interface TraceSinks extends Sinks {
  trace: {
    workflowEnded(span: {
      /** The `traceparent` of the caller that started it. */
      readonly parent: string;
      readonly spanId: string;
      readonly failure: string | undefined;
    }): void;
  };
}

const HEADER = 'traceparent';
const FORM = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * Carries the trace of a caller that started a workflow, or sent it an update, to its activities.
 * Without that header nothing is done, and nothing is loaded. No command depends on it. Headers are
 * no part of the comparison of a replay, and the id of the workflow's span comes from that of the
 * run. The promises pass through as they are, since one more turn between them would change the
 * order of commands.
 */
export const interceptors: WorkflowInterceptorsFactory = () => {
  let callers: InstanceType<typeof AsyncLocalStorage<string>> | undefined;
  let ofWorkflow: string | undefined;

  function under<Result>(trace: string, work: () => Promise<Result>): Promise<Result> {
    callers ??= new AsyncLocalStorage<string>();
    return callers.run(trace, work);
  }

  const carrying = <Input extends { readonly headers: Headers }>(input: Input): Input => {
    const trace = callers?.getStore() ?? ofWorkflow;
    return trace === undefined ? input : { ...input, headers: withTrace(input.headers, trace) };
  };

  return {
    inbound: [
      {
        execute(input, next) {
          const parent = traceIn(input.headers);
          if (parent === undefined) return next(input);
          const spanId = spanIdOf(workflowInfo().runId);
          ofWorkflow = `${parent.slice(0, 36)}${spanId}${parent.slice(52)}`;
          const running = under(ofWorkflow, () => next(input));
          const tell = (failure: string | undefined) =>
            proxySinks<TraceSinks>().trace.workflowEnded({ parent, spanId, failure });
          running.then(
            () => tell(undefined),
            (error) => tell(failureOf(error)),
          );
          return running;
        },
        handleUpdate(input, next) {
          const caller = traceIn(input.headers);
          return caller === undefined ? next(input) : under(caller, () => next(input));
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(carrying(input)),
        scheduleLocalActivity: (input, next) => next(carrying(input)),
        continueAsNew: (input, next) => next(carrying(input)),
      },
    ],
  };
};

function failureOf(error: unknown): string | undefined {
  if (error instanceof ContinueAsNew) return undefined;
  return error instanceof Error ? error.name : 'Error';
}

/** The second half of a run's id is random, and the same in every replay. */
const spanIdOf = (runId: string): string => runId.replaceAll('-', '').slice(-16);

/** Headers that let the other side go on with a trace. They are not encrypted, and a trace is no secret. */
export const withTrace = (headers: Headers, trace: string): Headers => ({
  ...headers,
  [HEADER]: defaultPayloadConverter.toPayload(trace),
});

/** The caller's `traceparent`, which may be any text. */
export function callerTrace(headers: Headers): string | undefined {
  const payload = headers[HEADER];
  try {
    const value: unknown = payload && defaultPayloadConverter.fromPayload(payload);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

function traceIn(headers: Headers): string | undefined {
  const trace = callerTrace(headers);
  return trace !== undefined && FORM.test(trace) ? trace : undefined;
}
