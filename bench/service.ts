import { randomUUID } from 'node:crypto';
import { type ApiConfig, readApiConfig } from '../src/config/config.ts';
import { createDigests, type Digests } from '../src/crypto/digests.ts';
import { checkWholeBooks } from '../src/db/books/check-whole.ts';
import { connectDatabase, type Database } from '../src/db/connection.ts';
import { createStops, type Stops } from '../src/local/start/stops.ts';
import type { Bench } from './benchmark.ts';
import { startChild } from './child-process.ts';
import { copyDatabase } from './copy-database.ts';
import type { ServiceRole } from './service-process.ts';
import type { Sides } from './statistics.ts';

/** A running service to be measured, and what its companies are made with. */
export interface Service {
  /** Of the last API, without a path. */
  readonly url: string;
  /** Of each API. */
  readonly urls: readonly string[];
  readonly config: ApiConfig;
  readonly database: Database;
  readonly digests: Digests;
}

const layouts = {
  'one process': ['service'],
  'two processes': ['worker', 'api'],
  'two services': ['service', 'service'],
  'two APIs and two workers': ['worker', 'worker', 'api', 'api'],
  'API alone': ['api'],
} satisfies Record<string, ServiceRole[]>;

/** Which processes are the service. */
export type ServiceLayout = keyof typeof layouts;

/** What is set otherwise than for all benchmarks. */
type Changes = Readonly<Record<string, string>>;

/**
 * Runs work with a service on a database of its own, checks the invariants of the ledger, and stops
 * it, however the work ends.
 *
 * @throws when an invariant is broken
 */
export async function withService<Result>(
  bench: Bench,
  layout: ServiceLayout,
  work: (service: Service) => Promise<Result>,
  changes: Changes = {},
): Promise<Result> {
  const stops = createStops();
  try {
    const service = await bench.progress.step(`Service as ${layout}`, () =>
      startService(bench, layouts[layout], changes, stops),
    );
    const result = await work(service);
    const broken = await checkWholeBooks(service.database);
    if (broken.length > 0) throw new Error(`Broken invariants:\n${broken.join('\n')}`);
    return result;
  } finally {
    await stops.run();
  }
}

/** The same with two services, which are measured in turns. */
export const withServices = <Result>(
  bench: Bench,
  { subject, baseline }: Sides<readonly [layout: ServiceLayout, changes?: Changes]>,
  work: (services: Sides<Service>) => Promise<Result>,
): Promise<Result> =>
  withService(
    bench,
    subject[0],
    (one) =>
      withService(
        bench,
        baseline[0],
        (other) => work({ subject: one, baseline: other }),
        baseline[1],
      ),
    subject[1],
  );

async function startService(
  { backing, signal }: Bench,
  roles: readonly ServiceRole[],
  changes: Changes,
  stops: Stops,
): Promise<Service> {
  const settings = {
    ...backing.settings,
    // An empty one: the work of one benchmark must not slow the next one down.
    DATABASE_URL: changes.DATABASE_URL ?? (await copyDatabase(backing.settings.DATABASE_URL ?? '')),
    TEMPORAL_TASK_QUEUE: `bench-${randomUUID()}`,
    PORT: '0',
    LOG_LEVEL: 'warn',
    // Partners and merchants log in once, before the measurements.
    ACCESS_TOKEN_LIFETIME_SECONDS: '86400',
    // Calls are counted as ever, but all load comes from one address and may come from one partner.
    CALLS_PER_ADDRESS_AND_MINUTE: '1000000000',
    CALLS_PER_COMPANY_AND_MINUTE: '1000000000',
    // A machine that is too busy shows in the figures, and fails no call.
    CALLER_WAIT_SECONDS: '55',
    DRAIN_SECONDS: '0',
    // Vouchers are claimed again and again.
    MESSAGE_COOLDOWN_SECONDS: '0',
    MESSAGES_PER_NUMBER_AND_DAY: '1000000',
    MESSAGES_PER_COMPANY_AND_DAY: '1000000000',
    // And redeemed in parts of one birr.
    REDEMPTION_MINIMUM: '1',
    PARTIAL_REDEMPTIONS_PER_VOUCHER: '1000000000',
    ...changes,
  };
  const urls: string[] = [];
  for (const role of roles) {
    signal.throwIfAborted();
    const child = await startChild({
      role,
      settings,
    });
    stops.add(child.stop);
    if (child.port > 0) urls.push(`http://127.0.0.1:${child.port}`);
  }
  const config = readApiConfig(settings, settings);
  const database = connectDatabase(config.database.databaseUrl, { poolSize: 4 });
  stops.add(() => database.destroy());
  return {
    url: urls.at(-1) ?? '',
    urls,
    config,
    database,
    digests: createDigests(config.secrets),
  };
}
