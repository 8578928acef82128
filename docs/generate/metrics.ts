import {
  definitions,
  type MetricDefinition,
  PREFIX,
} from '../../src/runtime/metrics/definitions.ts';
import { code, GENERATED, page, table } from './markdown.ts';
import { sdkMetrics } from './sdk-metrics.ts';

const all = Object.entries<MetricDefinition>(definitions);

const overview = (): string =>
  table(
    ['Metric', 'Kind', 'Process', 'Meaning', 'Labels'],
    all.map(([name, { kind, home, help, labels }]) => [
      code(PREFIX + name),
      kind,
      home,
      help,
      Object.keys(labels).map(code).join(', ') || 'none',
    ]),
  );

/** A label's values, where they are few enough to be read. */
const MAXIMUM_SHOWN = 12;

const labelRows = () =>
  all.flatMap(([name, { labels }]) =>
    Object.entries(labels).map(([label, { meaning, values }]) => [
      code(name),
      code(label),
      meaning,
      values && values.length <= MAXIMUM_SHOWN ? values.map(code).join(', ') : '',
    ]),
  );

/** docs/reference/metrics.md, from the definitions of metrics. */
export const metricsPage = (): string =>
  page(
    GENERATED,
    '# Metrics',
    'The source is `src/runtime/metrics/definitions.ts`. API and worker answer `GET /metrics` on `METRICS_PORT` in the format of ' +
      'Prometheus ([settings](settings.md#everybody-who-deploys)). The port differs from the port of the API, so that callers cannot reach it.',
    'Every label has a bounded set of values: an unknown path, method or value becomes `other` and adds no series. No label ' +
      'holds a company, a person, a number, a code or a key.',
    'Each worker reads the state of the database and of Temporal every 15 seconds, in one statement and a few ' +
      'calls. Their cost does not grow with history. All workers show the same values: take the maximum.',
    '## Metrics of the service',
    overview(),
    '## Labels',
    table(['Metric', 'Label', 'Meaning', 'Values'], labelRows()),
    '## Metrics of workflows and workers',
    "Temporal's SDK collects these, on the same port. They have further labels, such as `namespace`; `workflow_type` and `activity_type` are the names " +
      'of [workflows](workflows.md) and of their activities. A name that this release does not know becomes `other`: a stranger who ' +
      'reaches Temporal can ask for workflows of any name, and adds no series. Alerts and dashboard use these metrics:',
    table(
      ['Metric', 'Kind', 'Meaning', 'Labels'],
      Object.entries(sdkMetrics).map(([name, { kind, help, labels }]) => [
        code(name),
        kind,
        help,
        labels.map(code).join(', '),
      ]),
    ),
    '## Metrics of Node.js',
    'The usual metrics: `process_cpu_seconds_total`, `process_resident_memory_bytes`, `process_open_fds`, `nodejs_heap_size_used_bytes`, ' +
      '`nodejs_gc_duration_seconds`, and the delay of the event loop, `nodejs_eventloop_lag_p99_seconds` since the last scrape.',
  );
