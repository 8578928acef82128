import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Attributes,
  type EndedSpan,
  type Span,
  type SpanKind,
  type SpanStart,
  switchTracing,
  type Tracing,
} from './tracing.ts';

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
interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

/** Decides whether a trace is recorded: at its root, or where a caller's enters. */
type Sampler = (traceId: string, parent: SpanContext | undefined) => boolean;

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

/** The samplers of the OpenTelemetry specification that `OTEL_TRACES_SAMPLER` names. */
export const samplerNames = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

type SamplerName = (typeof samplerNames)[number];

/** The share of all traces by their ids, so that every process decides the same about one. */
const isWithin = (traceId: string, ratio: number): boolean =>
  Number.parseInt(traceId.slice(-8), 16) < ratio * 2 ** 32;

/** The sampler of a name; one based on the parent follows the caller where there is one. */
export function samplerOf(name: SamplerName, ratio: number): Sampler {
  const root = name.replace('parentbased_', '');
  const decide = (traceId: string): boolean =>
    root === 'traceidratio' ? isWithin(traceId, ratio) : root === 'always_on';
  return name.startsWith('parentbased_')
    ? (traceId, parent) => parent?.isSampled ?? decide(traceId)
    : decide;
}

/** Spans that wait; what comes beyond is dropped, so that a collector that hangs takes no memory. */
const MAXIMUM_WAITING = 2_048;
const MAXIMUM_BATCH = 512;
const TIMEOUT_MS = 10_000;
/** A collector that hangs keeps no process from its end. */
const STOP_MS = 5_000;
/** One warning in a minute: a collector that is down must not fill the log. */
const WARN_INTERVAL_MS = 60_000;

/** The numbers of opentelemetry.proto.trace.v1.Span.SpanKind. */
const kinds: Readonly<Record<SpanKind, number>> = {
  server: 2,
  client: 3,
  consumer: 5,
};
const STATUS_ERROR = 2;

/**
 * Sends spans in batches by OTLP over HTTP, as JSON. A batch that the collector does not take is
 * dropped: traces are for looking, and nothing waits for them.
 */
export function createOtlpExporter(options: {
  /** The full address, such as http://localhost:4318/v1/traces. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly resource: Attributes;
  readonly delayMs: number;
  readonly stopMs?: number;
  readonly warn: (what: { readonly dropped: number; readonly reason: string }) => void;
}) {
  const { url, headers, resource, delayMs, stopMs = STOP_MS, warn } = options;
  let waiting: FinishedSpan[] = [];
  let dropped = 0;
  let warnedAt = Number.NEGATIVE_INFINITY;
  let sending: Promise<void> | undefined;

  function drop(count: number, reason: string): void {
    dropped += count;
    if (Date.now() - warnedAt < WARN_INTERVAL_MS) return;
    warn({ dropped, reason });
    warnedAt = Date.now();
    dropped = 0;
  }

  async function sendAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MAXIMUM_BATCH);
      waiting = waiting.slice(MAXIMUM_BATCH);
      const reason = await send(url, headers, exportRequest(resource, batch));
      if (reason !== undefined) drop(batch.length, reason);
    }
  }

  const flush = (): Promise<void> => {
    sending ??= sendAll().finally(() => {
      sending = undefined;
    });
    return sending;
  };

  const timer = setInterval(flush, delayMs).unref();
  return {
    add(span: FinishedSpan) {
      if (waiting.length >= MAXIMUM_WAITING) return drop(1, 'too many spans wait');
      waiting.push(span);
      if (waiting.length >= MAXIMUM_BATCH) void flush();
    },
    /** Sends what waits, as far as the collector takes it in time. */
    async stop(): Promise<void> {
      clearInterval(timer);
      await Promise.race([flush().then(flush), sleep(stopMs, undefined, { ref: false })]);
      if (waiting.length > 0) drop(waiting.length, 'the process ends');
      waiting = [];
    },
  };
}

/** Undefined where the collector took it, or the reason, without anything of the request. */
async function send(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: unknown,
): Promise<string | undefined> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await answer.body?.cancel();
    return answer.ok ? undefined : `status ${answer.status}`;
  } catch (error) {
    return error instanceof Error ? error.name : 'failed';
  }
}

/** An ExportTraceServiceRequest in the JSON of OTLP: ids as hexadecimal digits, times as text. */
const exportRequest = (resource: Attributes, spans: readonly FinishedSpan[]) => ({
  resourceSpans: [
    {
      resource: { attributes: keyValues(resource) },
      scopeSpans: [{ scope: { name: 'voucher-topup-service' }, spans: spans.map(protoSpan) }],
    },
  ],
});

const protoSpan = (span: FinishedSpan) => ({
  traceId: span.traceId,
  spanId: span.spanId,
  ...(span.parentSpanId !== undefined && { parentSpanId: span.parentSpanId }),
  name: span.name,
  kind: kinds[span.kind],
  startTimeUnixNano: nanoseconds(span.startedAtMs),
  endTimeUnixNano: nanoseconds(span.endedAtMs),
  attributes: keyValues({ ...span.attributes, 'error.type': span.failure }),
  status: span.failure === undefined ? {} : { code: STATUS_ERROR },
});

const nanoseconds = (ms: number): string => String(BigInt(Math.round(ms * 1_000)) * 1_000n);

const keyValues = (attributes: Attributes) =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValue(value) }],
  );

function anyValue(value: string | number | boolean) {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

interface TracingOptions {
  /** The full address of the collector. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly resource: Attributes;
  readonly sampler: SamplerName;
  readonly ratio: number;
  readonly delayMs: number;
  readonly warn: (what: object, message: string) => void;
}

/** Switches the traces of this process on; the result switches them off, and sends what waits. */
export function startTracing(options: TracingOptions): () => Promise<void> {
  const { sampler, ratio, warn, ...target } = options;
  const exporter = createOtlpExporter({
    ...target,
    warn: (what) => warn(what, 'Could not send spans to the collector of traces'),
  });
  switchTracing(createTracer({ sampler: samplerOf(sampler, ratio), finish: exporter.add }));
  return () => {
    switchTracing(undefined);
    return exporter.stop();
  };
}
