import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiConfig, readApiConfig } from '../src/config/config.ts';
import { createDigests, type Digests } from '../src/crypto/digests.ts';
import { connectDatabase, type Database } from '../src/db/connection.ts';
import { freePort } from '../src/local/processes.ts';
import type { Stops } from '../src/local/start/stops.ts';
import type { Progress } from '../src/runtime/process/progress.ts';
import {
  startThrowawayServices,
  type ThrowawayServices,
} from '../test/harness/throwaway-services.ts';
import { makeProviderWays, type ProviderWays } from './providers/provider-ways.ts';
import { type SupervisedProcess, superviseProcess } from './supervised-process.ts';

/** Short durations: a minute of chaos is to see what production sees in a day. */
const CHAOS_SETTINGS = {
  LOG_LEVEL: 'warn',
  CALLER_WAIT_SECONDS: '3',
  DRAIN_SECONDS: '0',
  TEMPORAL_UPKEEP_SECONDS: '5',
  ACCESS_TOKEN_LIFETIME_SECONDS: '120',
  MESSAGE_COOLDOWN_SECONDS: '0',
  MESSAGES_PER_NUMBER_AND_DAY: '1000',
  // Amounts are random, and a few vouchers are redeemed again and again.
  REDEMPTION_MINIMUM: '0.01',
  MESSAGES_PER_COMPANY_AND_DAY: '1000000',
  CODE_ATTEMPTS_PER_COMPANY_AND_DAY: '1000000',
  PARTIAL_REDEMPTIONS_PER_VOUCHER: '1000',
  CLAIM_LIFETIME_SECONDS: '12',
  EXPIRY_RUN_INTERVAL_SECONDS: '5',
  RECONCILE_INTERVAL_SECONDS: '10',
  // Everybody calls from one address, and wrong merchants ask on purpose.
  VOUCHER_MISSES_PER_COMPANY_AND_HOUR: '100000',
  VOUCHER_MISSES_PER_ADDRESS_AND_HOUR: '100000',
  REFUSED_MESSAGES_PER_NUMBER_AND_HOUR: '1000',
  PAYMENT_INQUIRY_INTERVAL_SECONDS: '0.5',
  TOPUP_RETRY_WINDOW_SECONDS: '8',
  TOPUP_START_SECONDS: '15',
  PROVIDER_TIMEOUT_SECONDS: '2',
  SMPP_RECONNECT_SECONDS: '0.2',
  SMPP_RECONNECT_MAXIMUM_SECONDS: '2',
  SMPP_THROTTLE_PAUSE_SECONDS: '1',
  // Longer than a slow provider takes to begin.
  RELOADLY_SETTLE_SECONDS: '8',
  PROVIDER_BREAKER_SECONDS: '2',
  PROVIDER_DEADLINE_SECONDS: '4',
  // The operator of a run is alone.
  REPAIR_CONFIRM_FROM: '1000000',
  WEBHOOK_PRIVATE_NETWORKS: 'on',
  WEBHOOK_TIMEOUT_SECONDS: '2',
  WEBHOOK_FIRST_PAUSE_SECONDS: '0.2',
  WEBHOOK_LONGEST_PAUSE_SECONDS: '2',
};

/** Delays of 0.6 s and 4 s: within and beyond the time limits above. */
const SANDBOX_DELAY_SCALE = 0.2;

/** The whole service as in production, each part of which can be made to fail. */
export interface ThrowawayStack {
  /** Of the API, without a path. */
  readonly url: string;
  readonly services: ThrowawayServices;
  readonly config: ApiConfig;
  readonly database: Database;
  readonly digests: Digests;
  readonly api: SupervisedProcess;
  readonly worker: SupervisedProcess;
  readonly ways: ProviderWays;
}

export async function startThrowawayStack(
  progress: Progress,
  stops: Stops,
): Promise<ThrowawayStack> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const services = await startThrowawayServices(
    { name: 'chaos', sandboxDelayScale: SANDBOX_DELAY_SCALE, port, reportsMessages: true },
    progress,
    stops,
  );
  const { settings: wayUrls, ways } = await makeProviderWays(services, stops);
  const settings = {
    ...services.settings,
    ...wayUrls,
    ...CHAOS_SETTINGS,
    PORT: String(port),
  };
  const config = readApiConfig(settings, settings);
  const database = connectDatabase(config.database.databaseUrl, { poolSize: 4 });
  stops.add(() => database.destroy());
  const worker = superviseProcess('worker', settings);
  stops.add(() => worker.stop());
  const api = superviseProcess('api', settings);
  stops.add(() => api.stop());
  await progress.step('API and worker', () =>
    untilAnswering(url).catch((error) => {
      throw new Error(`The API does not start: ${api.output().slice(-1_000)}`, { cause: error });
    }),
  );
  return {
    url,
    services,
    config,
    database,
    digests: createDigests(config.secrets),
    api,
    worker,
    ways,
  };
}

const START_SECONDS = 180;

/** Waits until the API answers anything at all. */
export async function untilAnswering(url: string): Promise<void> {
  const deadline = Date.now() + START_SECONDS * 1_000;
  for (;;) {
    const isAnswering = await fetch(url, { signal: AbortSignal.timeout(5_000) }).then(
      () => true,
      () => false,
    );
    if (isAnswering) return;
    if (Date.now() > deadline) throw new Error(`The API did not start within ${START_SECONDS} s`);
    await sleep(100);
  }
}
