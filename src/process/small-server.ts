import { createServer, type RequestListener } from 'node:http';
import type { Logger } from 'pino';
import { describeError } from './describe-error.ts';
import { listen } from './listen.ts';

/** The few clients of such a server are supervisors and scrapers; a flood of others gets no answers. */
const CONNECTIONS = 100;
/** Above the limits of supervisors and scrapers. */
const TIMEOUT_MS = 30_000;

/** A server beside the API: of health, or of metrics. */
export interface SmallServer {
  readonly port: number;
  stop(): Promise<void>;
}

/** @throws where the port cannot be had */
export async function startSmallServer(
  answer: RequestListener,
  options: { readonly host: string; readonly port: number; readonly logger: Logger },
): Promise<SmallServer> {
  const server = createServer(answer);
  server.maxConnections = CONNECTIONS;
  server.requestTimeout = TIMEOUT_MS;
  const port = await listen(server, options, (error) =>
    options.logger.warn(describeError(error), 'Could not accept a connection'),
  );
  return {
    port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
