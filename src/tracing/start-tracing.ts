import { createOtlpExporter } from './otlp-exporter.ts';
import { type SamplerName, samplerOf } from './sampler.ts';
import { createTracer } from './tracer.ts';
import { type Attributes, switchTracing } from './tracing.ts';

export interface TracingOptions {
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
