import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { type RunningApi, startApi } from '../../src/api.ts';
import { type ApiConfig, type Environment, readApiConfig } from '../../src/config/config.ts';
import { createDigests, type Digests } from '../../src/crypto/digests.ts';
import { connectDatabase, type Database } from '../../src/db/connection.ts';
import type { ProcessRole } from '../../src/db/rights/table-rights.ts';
import { makeSecrets } from '../../src/local/start/backing-services.ts';
import type { Metrics } from '../../src/runtime/metrics/metrics.ts';
import type { Failpoint } from '../../src/runtime/process/failpoint.ts';
import { createLogger } from '../../src/runtime/process/logger.ts';
import { connectTemporal, type TemporalConnection } from '../../src/runtime/temporal/connection.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { type RunningWorker, startWorker } from '../../src/worker.ts';
import { findBrokenInvariants } from './broken-invariants.ts';
import { createTestDatabase } from './database.ts';

/**
 * The cost of passwords where hashing is not what a test is about. A file that tests hashing, or its turns, sets
 * PORTAL_PASSWORD_COST.
 */
export const TEST_PASSWORD_COST = 4;

/** Short durations: what is waited for in production, tests only have to see. */
const TEST_SETTINGS = {
  PORTAL_PASSWORD_COST: String(TEST_PASSWORD_COST),
  // However slow the machine is: a test whose outcome stays open sets a short wait, and repeats what must end.
  CALLER_WAIT_SECONDS: '25',
  DRAIN_SECONDS: '0',
  // Longer than any file of tests, and than a client's connection is left idle.
  ACCESS_TOKEN_LIFETIME_SECONDS: '3600',
  IDLE_TIMEOUT_SECONDS: '600',
  ACCESS_CACHE_SECONDS: '0.05',
  MESSAGE_COOLDOWN_SECONDS: '0',
  MESSAGES_PER_NUMBER_AND_DAY: '1000',
  REFUSED_MESSAGES_PER_NUMBER_AND_HOUR: '1000',
  MESSAGES_PER_COMPANY_AND_DAY: '100000',
  CODE_ATTEMPTS_PER_COMPANY_AND_DAY: '100000',
  REDEMPTION_MINIMUM: '0.01',
  PARTIAL_REDEMPTIONS_PER_VOUCHER: '1000',
  PAYMENT_INQUIRY_INTERVAL_SECONDS: '0.1',
  // However slow the machine is that tests run on.
  LIST_WAIT_SECONDS: '10',
  LIST_TIMEOUT_SECONDS: '10',
  // Tests break providers for many calls in a row.
  PROVIDER_BREAKER_SECONDS: '0.1',
  // A Schedule runs at multiples of its interval since 1970: one of an hour would run within some tests.
  EXPIRY_RUN_INTERVAL_SECONDS: '2592000',
  RECONCILE_INTERVAL_SECONDS: '2592000',
  // Four stacks that look for rows four times a second cost a tenth of a core: where tests wait for what a stack
  // finds again and again, their scene asks for that.
  CALL_RECORD_INTERVAL_SECONDS: '0.2',
  WORKER_PICKUP_SECONDS: '0.5',
  WEBHOOK_DISPATCH_SECONDS: '1',
  EVENT_NUMBERING_SECONDS: '0.5',
  FENCE_CHECK_SECONDS: '1',
  PROVIDER_STATE_SECONDS: '3600',
  // Every test calls from one address, and many guess.
  KEY_MISSES_PER_ADDRESS_AND_HOUR: '100000',
  VOUCHER_MISSES_PER_ADDRESS_AND_HOUR: '100000',
  VOUCHER_MISSES_PER_COMPANY_AND_HOUR: '100000',
};

/** The whole service in this process: real PostgreSQL, Temporal server and HTTP, own database. */
export interface Stack {
  readonly config: ApiConfig;
  readonly url: string;
  /** As the owner of the tables. */
  readonly database: Database;
  readonly digests: Digests;
  readonly sandbox: Sandbox;
  readonly temporal: TemporalConnection;
  readonly api: RunningApi;
  readonly worker: RunningWorker;
  /** The address of the stack's own database for a login that has the rights of one process. */
  urlFor(role: ProcessRole): string;
  /** Checks the invariants of the ledger, then stops everything. */
  stop(): Promise<void>;
}

/** What production asks for besides. */
const PRODUCTION_SETTINGS = {
  PUBLIC_URL: 'https://vouchers.example',
  CALLBACK_SECRETS:
    'africas-talking=reports-of-messages,gsma=reports-of-payments,dt-one=reports-of-top-ups,' +
    'mpesa=results-of-the-sandbox',
};

/** Starts the stack; `settings` replace the test's durations and limits, constants among them. */
export async function startStack(
  settings: Environment = {},
  options: {
    readonly failpoint?: Failpoint;
    readonly metrics?: Metrics;
  } = {},
): Promise<Stack> {
  const logger = createLogger('silent', 'test');
  const [testDatabase, sandbox] = await Promise.all([
    createTestDatabase(),
    startSandbox({ port: 0, delayScale: 0.02 }),
  ]);
  const given = {
    ...makeSecrets(),
    ...providerSettings(sandbox),
    ...TEST_SETTINGS,
    DATABASE_URL: testDatabase.url,
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    TEMPORAL_TASK_QUEUE: `test-${randomUUID()}`,
    WORKFLOW_BUNDLE: inject('workflowBundlePath'),
    PORT: '0',
    ...(settings.ENVIRONMENT === 'production' && PRODUCTION_SETTINGS),
    ...settings,
  };
  const config = readApiConfig(given, given);
  const temporal = await connectTemporal({
    address: config.temporal.temporalAddress,
    namespace: config.temporal.temporalNamespace,
    payloadKeys: config.secrets.payloadKeys,
    publicUrl: config.http.publicUrl,
  });
  // As in production, so that a right that is missing fails a test. A test that names a server has its
  // own logins.
  const configOf = (role: ProcessRole) => {
    const databaseUrl = settings.DATABASE_URL ?? testDatabase.urlFor(role);
    return { ...config, database: { ...config.database, databaseUrl } };
  };
  const [worker, api] = await Promise.all([
    startWorker(configOf('worker'), temporal, { ...options, logger }),
    startApi(configOf('api'), temporal, {
      ...options,
      logger,
      // Recorded histories have the updates by which callers in other processes ask.
      eager: config.temporal.temporalBuildId === undefined && process.env.RECORD_HISTORIES !== '1',
    }),
  ]);
  // Two tests of a file may each hold two transactions, and ask who waits for whom.
  const database = connectDatabase(config.database.databaseUrl, { poolSize: 8 });
  return {
    config,
    url: `http://127.0.0.1:${api.port}`,
    database,
    digests: createDigests(config.secrets),
    sandbox,
    temporal,
    api,
    worker,
    urlFor: testDatabase.urlFor,
    async stop() {
      await api.stop();
      await worker.stop();
      await temporal.connection.close();
      await sandbox.close();
      const broken = await findBrokenInvariants(database);
      await database.destroy();
      await testDatabase.drop();
      if (broken.length > 0) throw new Error(`Broken invariants:\n${broken.join('\n')}`);
    },
  };
}

export const providerSettings = (sandbox: Sandbox): Environment => ({
  // Production has no defaults for these.
  SMS_PROVIDER: 'africas-talking',
  SMS_USERNAME: 'sandbox',
  MOBILE_MONEY_PROVIDER: 'gsma',
  AIRTIME_PROVIDER: 'dt-one',
  AIRTIME_PRODUCTS: 'ETHIO_TELECOM=1001,SAFARICOM_ETHIOPIA=1002',
  SMS_URL: sandbox.smsUrl,
  SMS_API_KEY: 'sandbox',
  SMPP_URL: sandbox.smppUrl,
  SMTP_URL: sandbox.smtpUrl,
  EMAIL_FROM: 'Voucher service <vouchers@sandbox.test>',
  MOBILE_MONEY_URL: sandbox.mobileMoneyUrl,
  MOBILE_MONEY_TOKEN_URL: sandbox.mobileMoneyTokenUrl,
  MOBILE_MONEY_KEY: 'sandbox',
  MOBILE_MONEY_SECRET: 'sandbox',
  MOBILE_MONEY_ACCOUNT: 'sandbox',
  MPESA_URL: sandbox.mpesaUrl,
  MPESA_CONSUMER_KEY: 'sandbox',
  MPESA_CONSUMER_SECRET: 'sandbox',
  MPESA_SHORT_CODE: '600992',
  MPESA_INITIATOR: 'sandbox',
  MPESA_SECURITY_CREDENTIAL: 'sandbox',
  // The address of a service that does not run yet: a test that pays by M-Pesa names another.
  CALLBACK_URL: 'http://127.0.0.1:9/callbacks',
  CALLBACK_SECRETS: 'mpesa=results-of-the-sandbox',
  AIRTIME_URL: sandbox.airtimeUrl,
  AIRTIME_KEY: 'sandbox',
  AIRTIME_SECRET: 'sandbox',
  RELOADLY_URL: sandbox.reloadlyUrl,
  RELOADLY_TOKEN_URL: sandbox.reloadlyTokenUrl,
  RELOADLY_CLIENT_ID: 'sandbox',
  RELOADLY_CLIENT_SECRET: 'sandbox',
  RELOADLY_OPERATORS: 'ETHIO_TELECOM=3001,SAFARICOM_ETHIOPIA=3002',
  RELOADLY_CALLBACK_SECRET: RELOADLY_WEBHOOK_SECRET,
  RELOADLY_SETTLE_SECONDS: '1',
});

/** Signs Reloadly's callbacks. */
export const RELOADLY_WEBHOOK_SECRET = 'the-webhook-secret-of-tests';
