import { createServer } from 'node:net';
import type { MetricsExporterConfig } from '@temporalio/worker';
import { listen } from '../listen.ts';
import { boundSeries } from './bound-series.ts';

/** The metrics that the native part of Temporal's SDK collects: workers, pollers, requests. */
export interface SdkMetrics {
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
