import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createCallbackAccess, createCallbackLimit } from './callbacks/nudges.ts';
import { callbackRoutes } from './callbacks/routes.ts';
import { type ApiConfig, type Config, readApiConfig } from './config/config.ts';
import { createDigests } from './crypto/digests.ts';
import { createPasswordHashes } from './crypto/password-hashes.ts';
import { createNumberBox } from './crypto/phone-numbers.ts';
import { createSecretBox, type SecretBox } from './crypto/secret-box.ts';
import { listSourceNames } from './db/access/access.ts';
import { connectDatabase, type Database, poolUseOf } from './db/connection.ts';
import { createDocsSite, llmsText } from './docs-site/site.ts';
import { addMobilePrefixes } from './domain/phone.ts';
import { routeKindOf } from './domain/providers.ts';
import { createAccessDirectory, createApiKeyLookup } from './http/access/access-directory.ts';
import { createAccessTokens } from './http/access/access-token.ts';
import { createAllowlistHostnames, createDnsLookup } from './http/access/allowlist.ts';
import { createAddressMatcher } from './http/access/source-address.ts';
import { tokenKeyRoutes } from './http/access/token-keys.ts';
import { createApp, type PagesSurface, type SurfaceRoutes } from './http/app.ts';
import { createCallRecorder } from './http/call-log.ts';
import { type PublicDocument, securityContact } from './http/files.ts';
import { type RunningServer, startHttpServer } from './http/http-server.ts';
import { createRateLimits, createVoucherGuessLimit } from './http/limits/rate-limits.ts';
import { createListReader } from './http/lists/list-query.ts';
import type { Services } from './http/services.ts';
import { merchantRoutes } from './merchant/routes.ts';
import type { QuotedProviders } from './operations/quotes.ts';
import { createOperationWaits } from './operations/run-once.ts';
import { createWorkflowClient } from './operations/workflow-calls.ts';
import { portalSite } from './pages/portal/routes.ts';
import { createSite } from './pages/site.ts';
import { supportSite } from './pages/staff/routes.ts';
import { createStatusPage, createStatusReader } from './pages/status.ts';
import { partnerRoutes } from './partner/routes.ts';
import { canSendTopup } from './providers/airtime/airtime.ts';
import { choiceFor, createAirtimeSet } from './providers/provider-set.ts';
import { type Metrics, noMetrics, showPoolUse } from './runtime/metrics/metrics.ts';
import { isMainModule, runProcess } from './runtime/process/background-tasks.ts';
import { createFailpoint, type Failpoint } from './runtime/process/failpoint.ts';
import {
  answerHealth,
  createHealth,
  type Health,
  type HealthChecks,
} from './runtime/process/health.ts';
import { describeError } from './runtime/process/logger.ts';
import { startObservation } from './runtime/process/observation.ts';
import { withinTime } from './runtime/process/within-time.ts';
import {
  connectBySettings,
  requireNamespace,
  type TemporalConnection,
} from './runtime/temporal/connection.ts';
import { workflowTiming } from './runtime/temporal/workflow-timing.ts';
import { type DatabaseWatch, watchDatabase } from './runtime/worker/watch-database.ts';

export interface RunningApi {
  readonly port: number;
  readonly services: Services;
  /**
   * Is no longer ready, serves on for `DRAIN_SECONDS`, completes running requests, and closes the
   * database connections.
   */
  stop(): Promise<void>;
}

/** Starts the API on a connection to Temporal; `eager` if a worker shares that connection. */
export async function startApi(
  config: ApiConfig,
  temporal: TemporalConnection,
  options: {
    readonly logger: Logger;
    readonly metrics?: Metrics;
    readonly eager: boolean;
    /** Further checks that decide whether the API is ready. */
    readonly checks?: HealthChecks;
    /** Additional routes, such as the baseline of a benchmark. */
    readonly surfaces?: readonly SurfaceRoutes[];
    /** Overrides the failpoint of the settings. */
    readonly failpoint?: Failpoint;
  },
): Promise<RunningApi> {
  const { logger, metrics = noMetrics } = options;
  addMobilePrefixes(config.market.mobilePrefixes);
  const watch = await watchDatabase(config.database, { logger, metrics });
  const { database, lists } = openConnections(config.database, { logger, metrics, watch });
  const failpoint = options.failpoint ?? createFailpoint(config.process.failpoint);
  const numbers = createNumberBox(config.secrets);
  const isTrustedProxy = createAddressMatcher(config.http.trustedProxies);
  const callerWaitMs = config.http.callerWaitSeconds * 1_000;
  const recordMs = config.access.callRecordIntervalSeconds * 1_000;
  const calls = createCallRecorder(database, { logger, intervalMs: recordMs });
  const names = await allowlistHostnames(config, database, logger);
  const rateLimits = createRateLimits({ settings: config.access, database, logger });
  const services: Services = {
    database,
    lists,
    fence: watch.fence,
    calls,
    metrics,
    rateLimits,
    guesses: createVoucherGuessLimit(rateLimits),
    nudgeWithinLimit: createCallbackLimit(),
    logger,
    failpoint,
    digests: createDigests(config.secrets),
    numbers,
    secretBox: createSecretBox(config.secrets.dataKeys),
    keyCopies: keyCopiesOf(config),
    apiKeys: createApiKeyLookup(database),
    accessDirectory: createAccessDirectory(database, names, config.access.accessCacheSeconds),
    accessTokens: await createAccessTokens({
      privateKeyPem: config.secrets.accessTokenPrivateKey,
      furtherKeyPems: config.access.accessTokenFurtherKeys,
      lifetimeSeconds: config.access.accessTokenLifetimeSeconds,
      // Even with one signing key, a token of one environment is invalid in the other.
      issuer: `voucher-topup-service/${config.process.environment}`,
    }),
    waits: createOperationWaits({ database, logger, callerWaitMs }),
    workflows: createWorkflowClient({
      client: temporal.client,
      reachability: temporal.reachability,
      taskQueue: config.temporal.temporalTaskQueue,
      answers: options.eager ? temporal.answers : undefined,
      callerWaitMs,
      failpoint,
      timing: workflowTiming(config),
      numbers,
    }),
    quotedProviders: quotedProviders(config),
    isTrustedProxy,
    callbackAccess: createCallbackAccess(config.callbacks),
    settings: config,
  };
  const reported = reportedChecks(temporal);
  const app = createApp(
    services,
    [partnerRoutes, merchantRoutes, callbackRoutes, tokenKeyRoutes, ...(options.surfaces ?? [])],
    pagesOf(services, config, reported.temporal),
    documentsOf(config),
  );
  const health = createHealth({ database: watch.requireHealth, ...options.checks }, { reported });
  const server = await startHttpServer(answerHealth(health.read, app.callback()), {
    settings: config.http,
    isTrustedProxy,
    onError: (error) => logger.error(describeError(error), 'Could not accept a connection'),
  });
  return {
    port: server.port,
    services,
    async stop() {
      await drain(health, server, config.http);
      for (const part of [names, watch]) await part.stop();
      await calls.stop();
      await lists.stop();
      await database.destroy();
    },
  };
}

/** The providers of top-ups that quotes ask, as the activities of top-ups choose them. */
function quotedProviders(config: Config): QuotedProviders {
  const airtime = createAirtimeSet(config);
  return {
    canCarry({ kind, routes, operator, providerProductId }, amount) {
      const { candidates } = choiceFor(airtime, {
        kind: routeKindOf(kind),
        routes,
        operator,
        canServe: canSendTopup(kind, providerProductId, operator),
        // No share decides whether any provider can carry it.
        shareOf: () => 0.5,
      });
      return candidates(amount).length > 0;
    },
  };
}

/** Longest time between two lookups of a name. */
const DNS_MAXIMUM_MS = 3_600_000;
/** Longest time that a start waits for the first answers about registered names, whose companies are refused before. */
const FIRST_NAMES_MS = 3_000;
/** Time that the last answer stays valid beyond its time to live while no DNS server answers. */
const DNS_STALE_MS = 3_600_000;

/** The addresses of registered names, once their first answers are there. */
async function allowlistHostnames(
  { access, process: { environment } }: Config,
  database: Database,
  logger: Logger,
) {
  const names = createAllowlistHostnames({
    lookup: createDnsLookup({
      servers: access.dnsServers,
      timeoutMs: access.dnsTimeoutSeconds * 1_000,
      allowsPrivate: environment === 'test',
    }),
    listNames: (limit: number) => listSourceNames(database, limit),
    minimumMs: access.dnsMinimumSeconds * 1_000,
    maximumMs: DNS_MAXIMUM_MS,
    staleMs: DNS_STALE_MS,
    logger,
  });
  await withinTime(FIRST_NAMES_MS, names.begun, () => {});
  return names;
}

/** Without Temporal, reads and log-ins go on, and changes get a refusal of the API. */
const reportedChecks = (temporal: TemporalConnection) => ({
  temporal: () => requireNamespace(temporal),
});

/** The pages for people. Both sites with accounts share the threads that hash passwords. */
function pagesOf(
  services: Services,
  config: ApiConfig,
  temporal: HealthChecks[string],
): PagesSurface[] {
  const { portalPasswordCost, portalPasswordThreads } = config.portal;
  const passwords = createPasswordHashes(portalPasswordCost, portalPasswordThreads);
  return [
    createSite(portalSite, services, passwords),
    createSite(supportSite, services, passwords),
    createDocsSite(config),
    createStatusPage(services, createStatusReader(services, temporal)),
  ];
}

/** The files that everybody may read, outside of the APIs and the pages. */
const documentsOf = (config: Config): PublicDocument[] => [
  ...securityContact(config.http),
  llmsText(config),
];

/** Serves on until load balancers have seen that the API is not ready, then completes what runs. */
async function drain(
  health: Health,
  server: RunningServer,
  { drainSeconds }: Config['http'],
): Promise<void> {
  health.drain();
  server.drain();
  await sleep(drainSeconds * 1_000);
  await server.close();
}

/** Encrypts API keys that can be copied; undefined where none are kept. */
export const keyCopiesOf = ({ secrets: { copyKeys } }: ApiConfig): SecretBox | undefined =>
  copyKeys === 'off' ? undefined : createSecretBox(copyKeys);

/** A quarter of the connections is for lists; both pools have at least one. */
function openConnections(
  { databaseUrl, ...settings }: Config['database'],
  shared: { readonly logger: Logger; readonly metrics: Metrics; readonly watch: DatabaseWatch },
) {
  const { logger, metrics } = shared;
  const onConnect = shared.watch.fence.lookOn;
  const onIdleError = (error: Error) =>
    logger.warn({ error: error.name }, 'A database connection broke');
  const forLists = Math.max(1, Math.floor(settings.databasePoolSize / 4));
  const poolSize = Math.max(1, settings.databasePoolSize - forLists);
  const database = connectDatabase(databaseUrl, { poolSize, onIdleError, onConnect });
  const lists = createListReader(databaseUrl, {
    poolSize: forLists,
    statementTimeoutMs: Math.ceil(settings.listTimeoutSeconds * 1_000),
    waitMs: settings.listWaitSeconds * 1_000,
    onIdleError,
  });
  metrics.beforeScrape(() => {
    showPoolUse(metrics, 'api', poolUseOf(database));
    showPoolUse(metrics, 'lists', lists.poolUse());
  });
  return { database, lists };
}

if (isMainModule(import.meta.url)) {
  await runProcess(async () => {
    const config = readApiConfig();
    const observation = await startObservation(config, 'api');
    const { logger, metrics, metricsPort } = observation;
    const temporal = await connectBySettings(config);
    const api = await startApi(config, temporal, { logger, metrics, eager: false });
    logger.info({ port: api.port, metricsPort }, 'API is listening');
    return {
      logger,
      async stop() {
        await api.stop();
        await observation.stop();
        await temporal.connection.close();
      },
    };
  });
}
