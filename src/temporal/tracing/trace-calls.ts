import type { WorkflowClientInterceptor } from '@temporalio/client';
import { defaultPayloadConverter, type Headers } from '@temporalio/common';
import { type Span, tracing } from '../../tracing/tracing.ts';

/** The header of workflows, updates and activities; headers are not encrypted, and this is no secret. */
const TRACEPARENT = 'traceparent';

/** Headers that let the other side go on with a trace. */
const withTrace = (headers: Headers, { traceparent }: Span): Headers => ({
  ...headers,
  [TRACEPARENT]: defaultPayloadConverter.toPayload(traceparent),
});

/** The caller's `traceparent`, which may be anything. */
export function traceparentOf(headers: Headers): string | undefined {
  const payload = headers[TRACEPARENT];
  try {
    const value: unknown = payload && defaultPayloadConverter.fromPayload(payload);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

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
  span ? withTrace(headers, span) : headers;

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
