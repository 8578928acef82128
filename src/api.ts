import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createCallbackLimit } from './callbacks/hints.ts';
import { callbackRoutes } from './callbacks/routes.ts';
import { type ApiConfig, type Config, readApiConfig } from './config/config.ts';
import { createDigests } from './crypto/digests.ts';
import { createPasswordHashes } from './crypto/password-hashes.ts';
import { createNumberBox, numberKeysOf } from './crypto/phone-numbers.ts';
import { createSecretBox, type SecretBox } from './crypto/secret-box.ts';
import { connectDatabase, poolUseOf } from './db/connection.ts';
import { createDocsSite, llmsText } from './docs-site/site.ts';
import { addMobilePrefixes } from './domain/phone.ts';
import { createAccessDirectory, createApiKeyLookup } from './http/access/access-directory.ts';
import { createAccessTokens } from './http/access/access-token.ts';
import { createAllowlistHostnames } from './http/access/allowlist.ts';
import { tokenKeyRoutes } from './http/access/token-keys.ts';
import { createApp, type PagesSurface, type SurfaceRoutes } from './http/app.ts';
import { createCallRecorder } from './http/call-log.ts';
import { type PublicDocument, securityContact } from './http/files.ts';
import { type RunningServer, startHttpServer } from './http/http-server.ts';
import { createRateLimits, createVoucherGuessLimit } from './http/limits/rate-limits.ts';
import { createListReader } from './http/lists/list-query.ts';
import type { Services } from './http/services.ts';
import { merchantRoutes } from './merchant/routes.ts';
import { createOperationWaits } from './operations/run-once.ts';
import { webhookSettingsOf } from './operations/webhooks.ts';
import { createWorkflowClient } from './operations/workflow-calls.ts';
import { createPortal } from './pages/portal/portal.ts';
import { createStaffSite } from './pages/staff/staff-site.ts';
import { partnerRoutes } from './partner/routes.ts';
import {
  hostnameSettings,
  portalSettings,
  rateLimitSettings,
  serverLimits,
  serviceSettings,
  tokenIssuer,
} from './runtime/api/api-settings.ts';
import { quoteRules } from './runtime/api/quote-rules.ts';
import { type Metrics, noMetrics, showPoolUse } from './runtime/metrics/metrics.ts';
import { isMainModule, runProcess } from './runtime/process/background-tasks.ts';
import { createFailpoint, type Failpoint } from './runtime/process/failpoint.ts';
import {
  answerHealth,
  createHealth,
  HEALTH_LIMIT_MS,
  type Health,
  type HealthChecks,
} from './runtime/process/health.ts';
import { describeError } from './runtime/process/logger.ts';
import { startObservation } from './runtime/process/observation.ts';
import {
  connectTemporal,
  requireNamespace,
  type TemporalConnection,
} from './runtime/temporal/connection.ts';
import { temporalServerOf } from './runtime/temporal/temporal-server.ts';
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
    /** What else must work for the API to be ready. */
    readonly checks?: HealthChecks;
    /** Additional routes, such as the baseline of a benchmark. */
    readonly surfaces?: readonly SurfaceRoutes[];
    /** Overrides the failpoint of the settings. */
    readonly failpoint?: Failpoint;
  },
): Promise<RunningApi> {
  const { logger, metrics = noMetrics } = options;
  addMobilePrefixes(config.MOBILE_PREFIXES);
  const watch = await watchDatabase(config, { logger, metrics });
  const { database, lists } = openConnections(config, { logger, metrics, watch });
  const failpoint = options.failpoint ?? createFailpoint(config.FAILPOINT);
  const numbers = createNumberBox(numberKeysOf(config));
  const callerWaitMs = config.CALLER_WAIT_SECONDS * 1_000;
  const recordMs = config.CALL_RECORD_INTERVAL_SECONDS * 1_000;
  const calls = createCallRecorder(database, { logger, intervalMs: recordMs });
  const names = createAllowlistHostnames({ ...hostnameSettings(config, database), logger });
  const rateLimits = createRateLimits({ ...rateLimitSettings(config), database, logger });
  const services: Services = {
    database,
    lists,
    fence: watch.fence,
    calls,
    metrics,
    rateLimits,
    guesses: createVoucherGuessLimit(rateLimits),
    hintWithinLimit: createCallbackLimit(),
    logger,
    failpoint,
    digests: createDigests(config.DIGEST_KEY, config.DIGEST_KEYS),
    numbers,
    secretBox: createSecretBox(config.DATA_KEYS),
    webhooks: webhookSettingsOf(config),
    keyCopies: keyCopiesOf(config),
    apiKeys: createApiKeyLookup(database),
    accessDirectory: createAccessDirectory(database, names, config.ACCESS_CACHE_SECONDS),
    accessTokens: await createAccessTokens({
      privateKeyPem: config.ACCESS_TOKEN_PRIVATE_KEY,
      furtherKeyPems: config.ACCESS_TOKEN_FURTHER_KEYS,
      lifetimeSeconds: config.ACCESS_TOKEN_LIFETIME_SECONDS,
      issuer: tokenIssuer(config),
    }),
    waits: createOperationWaits({ database, logger, callerWaitMs }),
    workflows: createWorkflowClient({
      client: temporal.client,
      reachability: temporal.reachability,
      taskQueue: config.TEMPORAL_TASK_QUEUE,
      eager: options.eager,
      callerWaitMs,
      failpoint,
      timing: workflowTiming(config),
      numbers,
    }),
    quoteRules: quoteRules(config),
    settings: serviceSettings(config),
  };
  const app = createApp(
    services,
    [partnerRoutes, merchantRoutes, callbackRoutes, tokenKeyRoutes, ...(options.surfaces ?? [])],
    pagesOf(services, config),
    documentsOf(services, config),
  );
  const health = createHealth(
    { database: watch.requireHealth, ...options.checks },
    // Without Temporal, reads and log-ins go on, and changes are refused in the API's own words.
    { reported: { temporal: () => requireNamespace(temporal, HEALTH_LIMIT_MS) } },
  );
  const server = await startHttpServer(answerHealth(health.read, app.callback()), {
    host: config.HOST,
    port: config.PORT,
    onError: (error) => logger.error(describeError(error), 'Could not accept a connection'),
    limits: serverLimits(config, services.settings),
  });
  return {
    port: server.port,
    services,
    async stop() {
      await drain(health, server, config);
      for (const part of [names, watch]) await part.stop();
      await calls.stop();
      await lists.stop();
      await database.destroy();
    },
  };
}

/** The pages for people. Both sites with accounts share the threads that hash passwords. */
function pagesOf(services: Services, config: ApiConfig): PagesSurface[] {
  const settings = portalSettings(config);
  const passwords = createPasswordHashes(settings.passwordCost, settings.passwordThreads);
  return [
    createPortal(services, settings, passwords),
    createStaffSite(services, settings, passwords),
    createDocsSite(services.settings),
  ];
}

/** What everybody may read, outside of the APIs and the pages. */
const documentsOf = (
  { settings }: Services,
  { SECURITY_CONTACT: contact }: ApiConfig,
): PublicDocument[] => [
  ...securityContact({ contact, publicUrl: settings.publicUrl }),
  llmsText(settings),
];

/** Serves on until load balancers have seen that the API is not ready, then completes what runs. */
async function drain(
  health: Health,
  server: RunningServer,
  { DRAIN_SECONDS }: ApiConfig,
): Promise<void> {
  health.drain();
  server.drain();
  await sleep(DRAIN_SECONDS * 1_000);
  await server.close();
}

/** Encrypts API keys that can be copied; undefined where none are kept. */
export const keyCopiesOf = ({ COPY_KEYS }: ApiConfig): SecretBox | undefined =>
  COPY_KEYS === 'off' ? undefined : createSecretBox(COPY_KEYS);

/** A quarter of the connections is for lists; both pools have at least one. */
function openConnections(
  { DATABASE_URL, ...config }: Config,
  shared: { readonly logger: Logger; readonly metrics: Metrics; readonly watch: DatabaseWatch },
) {
  const { logger, metrics } = shared;
  const onConnect = shared.watch.fence.lookOn;
  const onIdleError = (error: Error) =>
    logger.warn({ error: error.name }, 'A database connection broke');
  const forLists = Math.max(1, Math.floor(config.DATABASE_POOL_SIZE / 4));
  const poolSize = Math.max(1, config.DATABASE_POOL_SIZE - forLists);
  const database = connectDatabase(DATABASE_URL, { poolSize, onIdleError, onConnect });
  const lists = createListReader(DATABASE_URL, {
    poolSize: forLists,
    statementTimeoutMs: Math.ceil(config.LIST_TIMEOUT_SECONDS * 1_000),
    waitMs: config.LIST_WAIT_SECONDS * 1_000,
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
    const temporal = await connectTemporal({
      ...temporalServerOf(config),
      payloadKeys: config.PAYLOAD_KEYS,
    });
    const api = await startApi(config, temporal, { logger, metrics, eager: false });
    logger.info({ port: api.port, metricsPort }, 'API is listening');
    return {
      async stop() {
        await api.stop();
        await observation.stop();
        await temporal.connection.close();
      },
    };
  });
}
