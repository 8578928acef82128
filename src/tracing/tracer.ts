import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type { Attributes, EndedSpan, Span, SpanKind, SpanStart, Tracing } from './tracing.ts';

/** A span for the exporter. */
export interface FinishedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: SpanKind;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly attributes: Attributes;
  readonly failure: string | undefined;
}

/** What tells where a span belongs: `traceparent` in parts. */
export interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

/** Decides whether a trace is recorded: at its root, or where a caller's enters. */
export type Sampler = (traceId: string, parent: SpanContext | undefined) => boolean;

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;
const ZEROS = /^0+$/;

/** Reads a `traceparent` (W3C Trace Context, level 1); undefined for anything else. */
export function readTraceparent(header: string | undefined): SpanContext | undefined {
  const [, version, traceId, spanId, flags] = TRACEPARENT.exec(header ?? '') ?? [];
  if (!traceId || !spanId || !flags || version === 'ff') return undefined;
  // The first version has nothing behind its flags; later ones may.
  if (version === '00' && header?.length !== 55) return undefined;
  if (ZEROS.test(traceId) || ZEROS.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

const write = ({ traceId, spanId, isSampled }: SpanContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;

const now = (): number => performance.timeOrigin + performance.now();
const randomHex = (bytes: number): string => randomBytes(bytes).toString('hex');

/** Traces that hand finished spans to an exporter. */
export function createTracer(options: {
  readonly sampler: Sampler;
  readonly finish: (span: FinishedSpan) => void;
}): Tracing {
  const { sampler, finish } = options;
  const contexts = new AsyncLocalStorage<SpanContext>();

  const parentOf = ({ parent }: SpanStart): SpanContext | undefined =>
    readTraceparent(parent) ?? contexts.getStore();

  function contextBelow(parent: SpanContext | undefined, spanId = randomHex(8)): SpanContext {
    const traceId = parent?.traceId ?? randomHex(16);
    // Within a process its own decision stands.
    const isOwn = parent !== undefined && parent === contexts.getStore();
    return { traceId, spanId, isSampled: isOwn ? parent.isSampled : sampler(traceId, parent) };
  }

  return {
    async inSpan(start, work) {
      const parent = parentOf(start);
      const context = contextBelow(parent);
      const span = createSpan(start, context);
      const startedAtMs = now();
      try {
        return await contexts.run(context, () => work(span));
      } catch (error) {
        span.fail(error instanceof Error ? error.name : 'Error');
        throw error;
      } finally {
        if (context.isSampled)
          finish({
            ...idsOf(context, parent),
            ...span.described(),
            kind: start.kind,
            startedAtMs,
            endedAtMs: now(),
          });
      }
    },
    record(ended: EndedSpan) {
      const parent = parentOf(ended);
      if (!parent) return;
      const context = contextBelow(parent, ended.spanId);
      if (!context.isSampled) return;
      const { name, kind, attributes = {}, startedAtMs, endedAtMs, failure } = ended;
      const ids = idsOf(context, parent);
      finish({ ...ids, name, kind, attributes, startedAtMs, endedAtMs, failure });
    },
    current() {
      const context = contexts.getStore();
      return context && write(context);
    },
    outgoing() {
      const context = contexts.getStore();
      return context && write(context);
    },
  };
}

const idsOf = ({ traceId, spanId }: SpanContext, parent: SpanContext | undefined) => ({
  traceId,
  spanId,
  parentSpanId: parent?.spanId,
});

function createSpan({ name, attributes }: SpanStart, context: SpanContext) {
  const described: { name: string; attributes: Attributes; failure: string | undefined } = {
    name,
    attributes: attributes ?? {},
    failure: undefined,
  };
  return {
    traceparent: write(context),
    rename(to: string) {
      described.name = to;
    },
    set(more: Attributes) {
      described.attributes = { ...described.attributes, ...more };
    },
    fail(kind: string) {
      described.failure = kind;
    },
    described: () => described,
  } satisfies Span & { described(): unknown };
}
