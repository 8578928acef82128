import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { definitions, type LabelsOf, type MetricName, PREFIX } from './definitions.ts';
import type { MetricDefinition } from './metric-definition.ts';
import { OTHER } from './sdk-label-values.ts';

/** Counts and measures; every label value that the service does not know becomes `other`. */
export interface Metrics {
  /** Adds one to a counter. */
  count<Name extends MetricName>(name: Name, labels: LabelsOf<Name>): void;
  /** Adds a time to a histogram. */
  observe<Name extends MetricName>(name: Name, labels: LabelsOf<Name>, seconds: number): void;
  /** Sets a gauge. */
  set<Name extends MetricName>(name: Name, labels: LabelsOf<Name>, value: number): void;
  /** Has something set its gauges before each scrape; it must be cheap, and ask nobody else. */
  beforeScrape(refresh: () => void): void;
}

/** Measures nothing, at no cost: for a process without `METRICS_PORT`. */
export const noMetrics: Metrics = {
  count() {},
  observe() {},
  set() {},
  beforeScrape() {},
};

export interface CollectedMetrics extends Metrics {
  /** The content type of what `read` returns. */
  readonly contentType: string;
  /** All metrics as text, in the exposition format of Prometheus. */
  read(): Promise<string>;
}

/** Metrics of a process, with those of Node.js: CPU, memory, garbage collection, event loop. */
export function createMetrics(): CollectedMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const refreshers: (() => void)[] = [];
  const instruments = new Map(
    (Object.keys(definitions) as MetricName[]).map((name) => [name, instrumentOf(name, registry)]),
  );
  const withBounds = boundsOf();
  const of = <Kind>(name: MetricName): Kind => instruments.get(name) as Kind;
  return {
    contentType: registry.contentType,
    count: (name, labels) => of<Counter>(name).inc(withBounds(name, labels)),
    observe: (name, labels, seconds) =>
      of<Histogram>(name).observe(withBounds(name, labels), seconds),
    set: (name, labels, value) => of<Gauge>(name).set(withBounds(name, labels), value),
    beforeScrape: (refresh) => refreshers.push(refresh),
    async read() {
      for (const refresh of refreshers) refresh();
      return registry.metrics();
    },
  };
}

function instrumentOf(name: MetricName, registry: Registry): Counter | Gauge | Histogram {
  const { kind, help, labels, buckets }: MetricDefinition = definitions[name];
  const shared = {
    name: PREFIX + name,
    help,
    labelNames: Object.keys(labels),
    registers: [registry],
  };
  if (kind === 'counter') return new Counter(shared);
  if (kind === 'gauge') {
    const gauge = new Gauge(shared);
    // One without labels begins with 0, which a process that never sets it would tell for ever.
    if (Object.keys(labels).length === 0) gauge.remove();
    return gauge;
  }
  return new Histogram({ ...shared, buckets: [...(buckets ?? [])] });
}

/** Replaces what the definition of a label does not name: callers must not be able to make series. */
function boundsOf() {
  const known = new Map(
    Object.entries<MetricDefinition>(definitions).map(([name, { labels }]) => [
      name,
      Object.entries(labels).flatMap(([label, { values }]) =>
        values ? [[label, new Set(values)] as const] : [],
      ),
    ]),
  );
  return (name: MetricName, labels: Readonly<Record<string, string>>): Record<string, string> => {
    const bounded: Record<string, string> = { ...labels };
    for (const [label, values] of known.get(name) ?? [])
      if (!values.has(bounded[label] ?? '')) bounded[label] = OTHER;
    return bounded;
  };
}
