import { createServer } from 'node:net';
import type { MetricsExporterConfig } from '@temporalio/worker';
import { listen, type SmallServer, startSmallServer } from '../process/health.ts';
import { describeError } from '../process/logger.ts';
import { boundSeries, type CollectedMetrics } from './metrics.ts';

interface SdkMetric {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
}

/** Counters of workflows/interceptors/count-outcomes.ts, which the SDK collects, and metrics of the SDK itself. */
export const sdkMetrics: Readonly<Record<string, SdkMetric>> = {
  voucher_service_workflow_starts_total: {
    kind: 'counter',
    help: 'Runs of workflows that began',
    labels: ['workflow_type'],
  },
  voucher_service_workflow_ends_total: {
    kind: 'counter',
    help: 'Runs of workflows that ended: `done`, `refused`, `continued` (as new), `needs-action` (a person is needed), `cancelled` or `failed`',
    labels: ['workflow_type', 'outcome'],
  },
  voucher_service_workflow_updates_total: {
    kind: 'counter',
    help: 'Answers of workflows to the API, such as `redeem`: `done`, `refused` or `failed`',
    labels: ['workflow_type', 'update', 'outcome'],
  },
  temporal_workflow_task_schedule_to_start_latency_seconds: {
    kind: 'histogram',
    help: 'Time that a workflow task waited for a worker',
    labels: ['workflow_type'],
  },
  temporal_workflow_task_execution_latency_seconds: {
    kind: 'histogram',
    help: 'Time of a workflow task in a worker',
    labels: ['workflow_type'],
  },
  temporal_workflow_task_execution_failed_total: {
    kind: 'counter',
    help: 'Workflow tasks that failed, for example because a workflow does not replay',
    labels: ['workflow_type', 'failure_reason'],
  },
  temporal_workflow_endtoend_latency_seconds: {
    kind: 'histogram',
    help: 'Time of a whole workflow',
    labels: ['workflow_type'],
  },
  temporal_activity_schedule_to_start_latency_seconds: {
    kind: 'histogram',
    help: 'Time that an activity waited for a worker',
    labels: ['activity_type', 'workflow_type'],
  },
  temporal_activity_execution_latency_seconds: {
    kind: 'histogram',
    help: 'Time of an attempt of an activity',
    labels: ['activity_type', 'workflow_type'],
  },
  temporal_activity_execution_failed_total: {
    kind: 'counter',
    help: 'Attempts of activities that failed',
    labels: ['activity_type', 'workflow_type'],
  },
  temporal_local_activity_execution_failed_total: {
    kind: 'counter',
    help: 'Attempts of local activities that failed',
    labels: ['activity_type', 'workflow_type'],
  },
  temporal_worker_task_slots_available: {
    kind: 'gauge',
    help: 'Free places of a worker',
    labels: ['worker_type'],
  },
  temporal_worker_task_slots_used: {
    kind: 'gauge',
    help: 'Taken places of a worker',
    labels: ['worker_type'],
  },
  temporal_num_pollers: {
    kind: 'gauge',
    help: 'Running polls for tasks',
    labels: ['poller_type'],
  },
  temporal_sticky_cache_size: {
    kind: 'gauge',
    help: 'Workflows in the memory of a worker',
    labels: [],
  },
  temporal_sticky_cache_hit_total: {
    kind: 'counter',
    help: 'Workflow tasks whose workflow was in memory',
    labels: [],
  },
  temporal_sticky_cache_miss_total: {
    kind: 'counter',
    help: 'Workflow tasks whose workflow had to replay',
    labels: [],
  },
  temporal_request_latency_seconds: {
    kind: 'histogram',
    help: 'Time of a request to the Temporal server',
    labels: ['operation'],
  },
  temporal_request_failure_total: {
    kind: 'counter',
    help: 'Requests to the Temporal server that failed',
    labels: ['operation', 'status_code'],
  },
};

/** The metrics that the native part of Temporal's SDK collects: workers, pollers, requests. */
interface SdkMetrics {
  /** For the runtime of the SDK, which serves them on a loopback port of its own. */
  readonly exporter: MetricsExporterConfig;
  /** Their text; a comment where they cannot be read. */
  read(): Promise<string>;
}

const READ_LIMIT_MS = 2_000;
const LOOPBACK = '127.0.0.1';

/**
 * Chooses the loopback port of the SDK's metrics: the SDK can only serve them itself, and scrapers
 * shall find all metrics of a process in one place.
 */
export async function createSdkMetrics(): Promise<SdkMetrics> {
  const address = `${LOOPBACK}:${await freePort()}`;
  return {
    exporter: {
      prometheus: {
        bindAddress: address,
        countersTotalSuffix: true,
        unitSuffix: true,
        useSecondsForDurations: true,
      },
    },
    async read() {
      try {
        const response = await fetch(`http://${address}/metrics`, {
          signal: AbortSignal.timeout(READ_LIMIT_MS),
        });
        return boundSeries(await response.text());
      } catch {
        return '# The metrics of the SDK could not be read\n';
      }
    },
  };
}

async function freePort(): Promise<number> {
  const probe = createServer();
  const port = await listen(probe, { host: LOOPBACK, port: 0 }, () => {});
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** Answers `GET /metrics` with the metrics of the process and of Temporal's SDK. */
export function startMetricsServer(
  metrics: CollectedMetrics,
  sdk: SdkMetrics,
  options: Parameters<typeof startSmallServer>[1],
): Promise<SmallServer> {
  return startSmallServer((request, response) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead || request.url?.split('?')[0] !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    readAll(metrics, sdk).then(
      (text) => response.writeHead(200, { 'Content-Type': metrics.contentType }).end(text),
      (error) => {
        options.logger.error(describeError(error), 'Could not read the metrics');
        response.writeHead(500).end();
      },
    );
  }, options);
}

async function readAll(metrics: CollectedMetrics, sdk: SdkMetrics): Promise<string> {
  const [own, temporal] = await Promise.all([metrics.read(), sdk.read()]);
  return `${own}\n${temporal}`;
}
