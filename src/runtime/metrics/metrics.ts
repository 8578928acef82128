import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { activityGroups } from '../../../workflows/activity-groups.ts';
import { answersOfStarts, redeem, retryTopup } from '../../../workflows/contracts.ts';
import type * as workflows from '../../../workflows/index.ts';
import {
  definitions,
  type LabelsOf,
  type MetricDefinition,
  type MetricName,
  PREFIX,
} from './definitions.ts';

/** What stands for a value of a label that this release does not know. */
const OTHER = 'other';

/** The compiler asks for each workflow that there is, and for no other name. */
const workflowTypes = {
  archiveLedger: true,
  cancelVoucher: true,
  checkBooks: true,
  checkPayoutAccount: true,
  compareStatements: true,
  deliverWebhooks: true,
  expireVouchers: true,
  followCase: true,
  generateBulk: true,
  generateVoucher: true,
  reconcile: true,
  redeemVoucher: true,
  repair: true,
  resendMessage: true,
  reverseRedemption: true,
  topup: true,
  watchBalances: true,
} as const satisfies Record<keyof typeof workflows, true>;

/**
 * The known values of the labels that somebody who reaches Temporal could choose: a task of an unknown
 * workflow is counted, too, when a worker fails it.
 */
export const sdkLabelValues: Readonly<Record<string, ReadonlySet<string>>> = {
  workflow_type: new Set(Object.keys(workflowTypes)),
  activity_type: new Set(Object.keys(activityGroups)),
  update: new Set([...answersOfStarts, redeem.name, retryTopup.name]),
};

/** Counts and measures; every label value that the service does not know becomes `other`. */
export interface Metrics {
  /** Adds one to a counter. */
  count<Name extends MetricName>(name: Name, labels: LabelsOf<Name>): void;
  /** Adds a time to a histogram. */
  observe<Name extends MetricName>(name: Name, labels: LabelsOf<Name>, seconds: number): void;
  /** Sets a gauge. */
  set<Name extends MetricName>(name: Name, labels: LabelsOf<Name>, value: number): void;
  /** Sets gauges before each scrape; the function must be cheap, and ask no other server. */
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

const BOUNDED = new RegExp(
  `\\b(${Object.keys(sdkLabelValues).join('|')})="((?:[^"\\\\]|\\\\.)*)"`,
  'g',
);

/**
 * The text of the SDK's metrics, with `other` in the place of names that this release does not know.
 * Series that become one are added up.
 */
export function boundSeries(text: string): string {
  const lines: string[] = [];
  let others = new Map<string, number>();
  const endFamily = () => {
    for (const [series, value] of others) lines.push(`${series} ${value}`);
    others = new Map();
  };
  for (const line of text.split('\n')) {
    const bounded = line.startsWith('#') ? line : line.replace(BOUNDED, knownOrOther);
    if (bounded !== line) {
      const end = bounded.lastIndexOf(' ');
      const series = bounded.slice(0, end);
      others.set(series, (others.get(series) ?? 0) + Number(bounded.slice(end + 1)));
    } else {
      // The samples of a metric stand together, after its comments.
      if (line === '' || line.startsWith('#')) endFamily();
      lines.push(line);
    }
  }
  endFamily();
  return lines.join('\n');
}

const knownOrOther = (label: string, name: string, value: string): string =>
  sdkLabelValues[name]?.has(value) ? label : `${name}="${OTHER}"`;

/** Shows how a pool of connections is used. */
export function showPoolUse(
  metrics: Metrics,
  pool: string,
  use: Readonly<Record<'busy' | 'idle' | 'waiting' | 'limit', number>>,
): void {
  for (const [state, value] of Object.entries(use))
    metrics.set('database_pool_connections', { pool, state }, value);
}

/** Shows by how many seconds the clock of this process is ahead of that of the database. */
export const showClock =
  (metrics: Metrics) =>
  (aheadSeconds: number): void =>
    metrics.set('clock_offset_seconds', {}, aheadSeconds);
