import { describeError } from '../describe-error.ts';
import { type SmallServer, startSmallServer } from '../small-server.ts';
import type { CollectedMetrics } from './metrics.ts';
import type { SdkMetrics } from './sdk-metrics.ts';

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
