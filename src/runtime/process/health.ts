import { createServer, type Server as HttpServer, type RequestListener } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import type { Logger } from 'pino';
import { describeError } from './logger.ts';
import { withinTime } from './within-time.ts';

/** Ends when what it looks at works, and fails where it does not. */
type HealthCheck = () => Promise<unknown> | unknown;

export type HealthChecks = Readonly<Record<string, HealthCheck>>;

interface CheckResult {
  readonly status: 'up' | 'down';
  readonly milliseconds: number;
}

/** The answer of `/health/ready`: down where a decisive check is, draining where the process stops. */
interface HealthReport {
  readonly status: 'up' | 'down' | 'draining';
  readonly checks: Readonly<Record<string, CheckResult>>;
}

/** Readers in this time share one look, so that frequent questions do not load the servers. */
const FRESH_MS = 1_000;
/** Time of one check. */
export const HEALTH_LIMIT_MS = 2_000;

export interface Health {
  read(): Promise<HealthReport>;
  /** From now on the process is not ready: it stops, and wants no new work. */
  drain(): void;
}

/**
 * Looks at everything that a process needs, each with a time limit of its own. The report names the checks in
 * `reported` as well, without which the process does part of its work.
 */
export function createHealth(
  checks: HealthChecks,
  {
    reported = {},
    freshMs = FRESH_MS,
    timeoutMs = HEALTH_LIMIT_MS,
  }: {
    readonly reported?: HealthChecks;
    readonly freshMs?: number;
    readonly timeoutMs?: number;
  } = {},
): Health {
  let isDraining = false;
  let last: { readonly at: number; readonly report: Promise<HealthReport> } | undefined;
  return {
    async read() {
      if (isDraining) return { status: 'draining', checks: {} };
      if (!last || performance.now() > last.at + freshMs)
        last = { at: performance.now(), report: reportOf(checks, reported, timeoutMs) };
      return last.report;
    },
    drain() {
      isDraining = true;
    },
  };
}

async function reportOf(
  decisive: HealthChecks,
  reported: HealthChecks,
  timeoutMs: number,
): Promise<HealthReport> {
  const results = await Promise.all(
    Object.entries({ ...decisive, ...reported }).map(
      async ([name, check]) => [name, await resultOf(check, timeoutMs)] as const,
    ),
  );
  const isUp = results.every(([name, { status }]) => status === 'up' || name in reported);
  return { status: isUp ? 'up' : 'down', checks: Object.fromEntries(results) };
}

async function resultOf(check: HealthCheck, timeoutMs: number): Promise<CheckResult> {
  const startedAt = performance.now();
  const result = (status: CheckResult['status']): CheckResult => ({
    status,
    milliseconds: Math.round(performance.now() - startedAt),
  });
  try {
    const checked = Promise.resolve(check()).then(() => result('up'));
    return await withinTime(timeoutMs, checked, () => result('down'));
  } catch {
    return result('down');
  }
}

/**
 * Answers `GET /health/live` (the process runs) and `GET /health/ready` (it can do its work: 200,
 * else 503) for load balancers and supervisors. It comes before all limits and logs, and hands
 * everything else on.
 */
export const answerHealth =
  (readReport: Health['read'], next: RequestListener): RequestListener =>
  (request, response) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const answer = (report: Pick<HealthReport, 'status'>): void => {
      response.writeHead(report.status === 'up' ? 200 : 503, {
        'Content-Type': 'application/json; charset=utf-8',
        'Cache-Control': 'no-store',
        'X-Content-Type-Options': 'nosniff',
      });
      response.end(request.method === 'HEAD' ? undefined : JSON.stringify(report));
    };
    if (isRead && request.url === '/health/live') answer({ status: 'up' });
    else if (isRead && request.url === '/health/ready') void readReport().then(answer);
    else next(request, response);
  };

interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /**
   * Time without traffic after which a connection is closed, also before its answer. It must be longer than the proxy
   * in front keeps a connection. Node's own 5 seconds are too short: a request could meet the end of its connection.
   */
  readonly idleTimeoutSeconds?: number | undefined;
}

/**
 * Listens, and answers the port; rejects where that is impossible. A running server emits an error
 * for each connection that it could not accept, for example without free file descriptors:
 * `onError` handles them, since an unhandled error ends the process.
 */
export const listen = (
  server: Server,
  { host, port, idleTimeoutSeconds }: ListenOptions,
  onError: (error: Error) => void,
): Promise<number> =>
  new Promise((resolve, reject) => {
    const idleMs = idleTimeoutSeconds && idleTimeoutSeconds * 1_000;
    if (idleMs) Object.assign(server, { timeout: idleMs, keepAliveTimeout: idleMs });
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      server.on('error', onError);
      resolve((server.address() as AddressInfo).port);
    });
  });

/** Closes a server; requests under way get no answers. */
export const closeAtOnce = (server: HttpServer): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

/** The few clients of such a server are supervisors and scrapers; a flood of others gets no answers. */
const CONNECTIONS = 100;
/** Above the limits of supervisors and scrapers. */
const TIMEOUT_MS = 30_000;

/** A second server next to the API: of health, or of metrics. */
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
    stop: () => closeAtOnce(server),
  };
}
