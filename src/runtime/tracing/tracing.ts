/** The attributes of a span; a value of a request is never among them. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export type SpanKind = 'server' | 'client' | 'consumer';

export interface SpanStart {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes?: Attributes;
  /** The caller's `traceparent`, which may be anything; without one the active span is the parent. */
  readonly parent?: string | undefined;
}

/** A span under way. */
export interface Span {
  /** For the next process: the `traceparent` of W3C Trace Context. */
  readonly traceparent: string;
  rename(name: string): void;
  set(attributes: Attributes): void;
  /** Marks it as failed; only the kind of the error, whose text may repeat values. */
  fail(kind: string): void;
}

/** A span that has ended elsewhere. */
export interface EndedSpan extends SpanStart {
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** 16 hexadecimal digits; random by default. */
  readonly spanId?: string;
  /** The kind of its error. */
  readonly failure?: string | undefined;
}

/** The traces of this process. */
export interface Tracing {
  /** Makes a span of some work, in which it is the active one. */
  inSpan<Result>(start: SpanStart, work: (span: Span) => Promise<Result>): Promise<Result>;
  /** Records what has ended; without a parent nothing. */
  record(span: EndedSpan): void;
  /** The `traceparent` of the active span. */
  current(): string | undefined;
}

let active: Tracing | undefined;

/** The traces of this process; undefined while they are off, which costs no more than this question. */
export const tracing = (): Tracing | undefined => active;

/** Switches traces on for this process, or off again. */
export function switchTracing(on: Tracing | undefined): void {
  active = on;
}
