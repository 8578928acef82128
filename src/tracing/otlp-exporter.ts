import type { FinishedSpan } from './tracer.ts';
import type { Attributes, SpanKind } from './tracing.ts';

/** Spans that wait; what comes beyond is dropped, so that a collector that hangs takes no memory. */
const MAXIMUM_WAITING = 2_048;
const MAXIMUM_BATCH = 512;
const TIMEOUT_MS = 10_000;
/** One warning in a minute: a collector that is down must not fill the log. */
const WARN_INTERVAL_MS = 60_000;

/** The numbers of opentelemetry.proto.trace.v1.Span.SpanKind. */
const kinds: Readonly<Record<SpanKind, number>> = {
  internal: 1,
  server: 2,
  client: 3,
  producer: 4,
  consumer: 5,
};
const STATUS_ERROR = 2;

export interface Exporter {
  add(span: FinishedSpan): void;
  /** Sends what waits. */
  stop(): Promise<void>;
}

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
  readonly warn: (what: { readonly dropped: number; readonly reason: string }) => void;
}): Exporter {
  const { url, headers, resource, delayMs, warn } = options;
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
    add(span) {
      if (waiting.length >= MAXIMUM_WAITING) return drop(1, 'too many spans wait');
      waiting.push(span);
      if (waiting.length >= MAXIMUM_BATCH) void flush();
    },
    async stop() {
      clearInterval(timer);
      await flush();
      await flush();
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
  ...(span.parentSpanId === undefined ? {} : { parentSpanId: span.parentSpanId }),
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
