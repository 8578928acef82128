import { log } from '@temporalio/activity';
import type { WorkflowClientInterceptor } from '@temporalio/client';
import { ApplicationFailure, type Headers } from '@temporalio/common';
import type { ActivityInterceptorsFactory, InjectedSinks } from '@temporalio/worker';
import type { Activities } from '../../../activities/index.ts';
import { isDatabaseStep } from '../../../workflows/activity-groups.ts';
import { addressed, isForeign } from '../../../workflows/addressed-input.ts';
import { linkToDesk } from '../../../workflows/current-details.ts';
import {
  callerTrace,
  type TraceSinks,
  withTrace,
} from '../../../workflows/interceptors/carry-trace.ts';
import { ROWS_VANISHED } from '../../../workflows/interceptors/vanished-rows.ts';
import { STEP_REFUSED } from '../../../workflows/steps/failures.ts';
import { type Span, tracing } from '../tracing/tracing.ts';

/**
 * Addresses the data of the client's calls, as refuse-outsiders.ts asks for. Where the address of the service is known,
 * each workflow gets a link to its page at /support; the codec encrypts it.
 */
export function addressCalls(publicUrl: string | undefined): WorkflowClientInterceptor {
  const started = <Options extends { readonly args: unknown[]; readonly workflowId: string }>(
    workflowType: string,
    options: Options,
  ): Options => ({
    ...options,
    args: addressed(`start ${workflowType}`, options.args),
    ...(publicUrl !== undefined && { staticDetails: linkToDesk(publicUrl, options.workflowId) }),
  });
  return {
    startWithDetails: (input, next) =>
      next({ ...input, options: started(input.workflowType, input.options) }),
    startUpdate: (input, next) =>
      next({ ...input, args: addressed(`update ${input.updateName}`, input.args) }),
    startUpdateWithStart: (input, next) =>
      next({
        ...input,
        workflowStartOptions: started(input.workflowType, input.workflowStartOptions),
        updateArgs: addressed(`update ${input.updateName}`, input.updateArgs),
      }),
    signal: (input, next) =>
      next({ ...input, args: addressed(`signal ${input.signalName}`, input.args) }),
    signalWithStart: (input, next) =>
      next({
        ...input,
        options: started(input.workflowType, input.options),
        signalArgs: addressed(`signal ${input.signalName}`, input.signalArgs),
      }),
  };
}

/**
 * Refuses activities that no workflow of the service requested: those with input that the service
 * did not encrypt, and database steps that somebody else put on the task queue.
 */
export const guardActivities: ActivityInterceptorsFactory = ({ info }) => ({
  inbound: {
    async execute(input, next) {
      const isMisplaced = !info.isLocal && isDatabaseStep(info.activityType);
      if (isMisplaced || input.args.some(isForeign))
        throw ApplicationFailure.nonRetryable(
          `Refused to run ${info.activityType}: no workflow of this service has sent this call`,
          'CommandFromOutside',
        );
      return next(input);
    },
  },
});

/**
 * The activities that a fenced service still runs: they ask providers, read, and book what a
 * provider has decided about a hold that exists. Everything else could send, or change what is being
 * compared. Activities that start workflows of holds are among them: those ask before they send.
 */
const harmless = [
  'inquirePayment',
  'inquireTopup',
  'inquireReversal',
  'askDue',
  'readTopup',
  'readCase',
  'checkInvariants',
  'openCases',
  'resumeRedemptions',
  'resumeTopups',
  'markTopupUnknown',
  'endRedemption',
  'endTopup',
  'endReversal',
  'noteUnbookedPayment',
  'noteReversalNeedsAction',
] as const satisfies readonly (keyof Activities)[];

const harmlessNames: ReadonlySet<string> = new Set(harmless);

/** The type of the failure of a refused activity; Temporal repeats it until the fence is lifted. */
const MAINTENANCE = 'Maintenance';

/**
 * Refuses activities while the fence of a restore stands, so that nothing is paid, sent or told. A
 * refusal proves that nothing happened, and the activity is repeated.
 */
export const guardFence =
  (isFenced: () => boolean): ActivityInterceptorsFactory =>
  ({ info }) => ({
    inbound: {
      async execute(input, next) {
        if (!isFenced() || harmlessNames.has(info.activityType)) return next(input);
        throw ApplicationFailure.retryable(
          `${info.activityType} waits: the database was restored, and an operator has not lifted ` +
            'the fence',
          MAINTENANCE,
        );
      },
    },
  });

/**
 * Tells workflows what an error of the database means.
 *
 * A step that the database refuses, such as for a missing right, fails for now: its workflow tries it again and calls a
 * person. Repeated inside itself, it would reach no reader. Only a step whose options name this failure fails so: a
 * workflow that named another failure would not take it. `isRefusal` knows a definite error of the database.
 *
 * An activity whose row does not exist fails for good. A workflow writes its rows before it asks for them, so that only
 * a restored database lacks one, and no repetition finds it.
 */
export const explainDatabaseErrors =
  ({
    isRefusal,
    isRowMissing,
  }: {
    readonly isRefusal: (error: unknown) => error is Error & { code?: string | undefined };
    readonly isRowMissing: (error: unknown) => boolean;
  }): ActivityInterceptorsFactory =>
  ({ info }) => ({
    inbound: {
      async execute(input, next) {
        try {
          return await next(input);
        } catch (error) {
          const cause = error instanceof Error ? error.cause : undefined;
          const refusal = [error, cause].find(isRefusal);
          if (refusal && info.retryPolicy?.nonRetryableErrorTypes?.includes(STEP_REFUSED)) {
            log.error('The database refuses a step', { error });
            throw ApplicationFailure.nonRetryable(
              `The database refuses ${info.activityType} with SQLSTATE ${refusal.code}`,
              STEP_REFUSED,
            );
          }
          if (!isRowMissing(error)) throw error;
          throw ApplicationFailure.create({
            message: `${info.activityType} does not find its row: the database was restored`,
            type: ROWS_VANISHED,
            nonRetryable: true,
            ...(error instanceof Error && { cause: error }),
          });
        }
      },
    },
  });

/** Makes the call to Temporal with a span of its own, where something is being traced. */
function inCall<Result>(
  name: string,
  workflowId: string,
  call: (span: Span | undefined) => Promise<Result>,
): Promise<Result> {
  const traces = tracing();
  if (traces?.current() === undefined) return call(undefined);
  return traces.inSpan({ name, kind: 'client', attributes: { workflowId } }, call);
}

const carrying = (headers: Headers, span: Span | undefined): Headers =>
  span ? withTrace(headers, span.traceparent) : headers;

/** Spans of the client's calls, which workflows and updates go on with. */
export const traceCalls: WorkflowClientInterceptor = {
  startWithDetails: (input, next) =>
    inCall(`StartWorkflow ${input.workflowType}`, input.options.workflowId, (span) =>
      next({ ...input, headers: carrying(input.headers, span) }),
    ),
  startUpdate: (input, next) =>
    inCall(`Update ${input.updateName}`, input.workflowExecution.workflowId ?? '', (span) =>
      next({ ...input, headers: carrying(input.headers, span) }),
    ),
  startUpdateWithStart: (input, next) =>
    inCall(
      `UpdateWithStart ${input.workflowType} ${input.updateName}`,
      input.workflowStartOptions.workflowId,
      (span) =>
        next({
          ...input,
          workflowStartHeaders: carrying(input.workflowStartHeaders, span),
          updateHeaders: carrying(input.updateHeaders, span),
        }),
    ),
};

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
          parent: callerTrace(input.headers),
          attributes: { workflowId: workflowExecution?.workflowId, attempt, isLocal },
        },
        () => next(input),
      );
    },
  },
});

/**
 * Where workflows tell their ends. Every worker has it: a workflow that a traced process started
 * may run in a process without traces. A replay tells nothing.
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
