import { createServer } from 'node:net';
import type { MetricsExporterConfig } from '@temporalio/worker';
import { listen, type SmallServer, startSmallServer } from '../process/health.ts';
import { describeError } from '../process/logger.ts';
import { boundSeries, type CollectedMetrics } from './metrics.ts';

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
