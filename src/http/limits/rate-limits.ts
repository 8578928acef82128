import { CompiledQuery } from 'kysely';
import type { Logger } from 'pino';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import type { Config } from '../../config/config.ts';
import type { Database } from '../../db/connection.ts';
import { type Refusal, refuse } from '../../domain/refusals.ts';
import type { Company } from '../../domain/vouchers/voucher.ts';
import type { VoucherLookUp } from '../../operations/redemptions.ts';
import { createFairSemaphore } from '../../runtime/process/fair-semaphore.ts';
import { withinTime } from '../../runtime/process/within-time.ts';
import { addressGroup } from '../access/source-address.ts';
import { createRunningCounts } from './connection-limits.ts';

const MINUTE = 60;
const HOUR = 3_600;

/** The policies: the setting of the quota of each, and its window. */
const policies = {
  /** Calls from one address. */
  address: { setting: 'callsPerAddressAndMinute', windowSeconds: MINUTE },
  /** Calls of one company. */
  company: { setting: 'callsPerCompanyAndMinute', windowSeconds: MINUTE },
  /** Failed log-ins from one address. */
  'key-misses-of-address': { setting: 'keyMissesPerAddressAndHour', windowSeconds: HOUR },
  /** Failed log-ins with one key prefix. */
  'key-misses-of-prefix': { setting: 'keyMissesPerPrefixAndHour', windowSeconds: HOUR },
  /** Diagnoses of one merchant's wrong signatures. */
  'signature-diagnoses': {
    setting: 'signatureDiagnosesPerMerchantAndMinute',
    windowSeconds: MINUTE,
  },
  /** Look-ups by one company of voucher codes that do not exist or belong to another company. */
  'voucher-misses-of-company': { setting: 'voucherMissesPerCompanyAndHour', windowSeconds: HOUR },
  /** Such look-ups from one address. */
  'voucher-misses-of-address': { setting: 'voucherMissesPerAddressAndHour', windowSeconds: HOUR },
} as const;

type RateLimitPolicy = keyof typeof policies;

type RateLimitSettings = Pick<
  Config['access'],
  'rateLimitStore' | (typeof policies)[RateLimitPolicy]['setting']
>;

/** The remaining quota of a subject under a policy. */
export interface Quota {
  readonly policy: RateLimitPolicy;
  readonly quota: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  /** Seconds until the window ends; at least 1. */
  readonly resetSeconds: number;
  /** Whether the counted request is within the quota. */
  readonly ok: boolean;
}

export type RateLimits = ReturnType<typeof createRateLimits>;

/** The refusal of a subject without quota. */
export const refuseTooMany = ({ resetSeconds }: Quota): Refusal =>
  refuse('too-many-requests', { retryAfterSeconds: resetSeconds });

/** The response headers of a quota (draft-ietf-httpapi-ratelimit-headers-11). */
export const rateLimitHeaders = ({
  policy,
  quota,
  windowSeconds,
  remaining,
  resetSeconds,
}: Quota) => ({
  'RateLimit-Policy': `"${policy}";q=${quota};w=${windowSeconds}`,
  RateLimit: `"${policy}";r=${remaining};t=${resetSeconds}`,
});

const isGivenBack = (policy: RateLimitPolicy): boolean => policy.startsWith('voucher-misses-');

/** After this time without an answer of the store, the process counts in memory. */
const STORE_WAIT_MS = 500;

/**
 * Counts in fixed windows: in the memory of this process, or in PostgreSQL for all processes
 * together. While the database is unavailable, each process counts on its own.
 */
export function createRateLimits(options: {
  readonly settings: RateLimitSettings;
  readonly database: Database;
  readonly logger: Logger;
}) {
  const limiters = new Map<RateLimitPolicy, RateLimiterAbstract>();
  for (const policy of Object.keys(policies) as RateLimitPolicy[])
    limiters.set(policy, createLimiter(policy, options, limiters.size === 0));

  const limiterOf = (policy: RateLimitPolicy) => limiters.get(policy) as RateLimiterAbstract;
  const quotaOf = (policy: RateLimitPolicy, spent: RateLimiterRes, ok: boolean): Quota => ({
    policy,
    quota: options.settings[policies[policy].setting],
    windowSeconds: policies[policy].windowSeconds,
    remaining: spent.remainingPoints,
    resetSeconds: Math.max(1, Math.ceil(spent.msBeforeNext / 1_000)),
    ok,
  });
  return {
    /** Counts one event of a subject. */
    async spend(policy: RateLimitPolicy, subject: string): Promise<Quota> {
      try {
        return quotaOf(policy, await limiterOf(policy).consume(subject), true);
      } catch (reason) {
        // The limiter rejects with its result when the quota is exceeded.
        if (reason instanceof RateLimiterRes) return quotaOf(policy, reason, false);
        throw reason;
      }
    },
    /** Uncounts one event that turned out not to match the policy. */
    async giveBack(policy: RateLimitPolicy, subject: string): Promise<void> {
      await limiterOf(policy).reward(subject);
    },
  };
}

function createLimiter(
  policy: RateLimitPolicy,
  options: Parameters<typeof createRateLimits>[0],
  clearsTable: boolean,
): RateLimiterAbstract {
  const { settings } = options;
  const { setting, windowSeconds } = policies[policy];
  const shared = { keyPrefix: policy, points: settings[setting], duration: windowSeconds };
  const memory = new RateLimiterMemory(shared);
  if (settings.rateLimitStore === 'memory') return memory;
  return new RateLimiterPostgres({
    ...shared,
    storeClient: storeClient(options.database, options.logger),
    storeType: 'client',
    tableName: 'rate_limits',
    tableCreated: true,
    clearExpiredByTimeout: clearsTable,
    insuranceLimiter: memory,
    // A subject without quota causes no more writes. A policy that uncounts must not block in
    // memory.
    ...(!isGivenBack(policy) && { inMemoryBlockOnConsumed: shared.points + 1 }),
  });
}

/** The service's own connections behind the limiter's client interface. */
function storeClient(database: Database, logger: Logger) {
  // An outage logs one line, not a line for each call.
  let hasFailed = false;
  return {
    async query({ text, values }: { readonly text: string; readonly values: unknown[] }) {
      try {
        const result = database.executeQuery(CompiledQuery.raw(text, [...values]));
        const { rows } = await withinTime(STORE_WAIT_MS, result, () => {
          throw new Error('The rate-limit store timed out');
        });
        hasFailed = false;
        return { rows, rowCount: rows.length };
      } catch (error) {
        if (!hasFailed)
          logger.warn({ error: (error as Error).name }, 'Rate limits are counted in memory');
        hasFailed = true;
        throw error;
      }
    },
  };
}

/** The company that looks a voucher up by its code, and its address. */
interface Requester {
  readonly company: Company;
  readonly sourceAddress: string;
}

/**
 * The look-up of one requester. Each look-up takes a unit of the limit before it begins and returns it
 * unless it missed, so that concurrent look-ups cannot exceed the limit. When running look-ups hold all
 * units, the next look-up waits.
 */
export type VoucherGuessLimit = (requester: Requester) => VoucherLookUp;

const COMPANY = 'voucher-misses-of-company';
const ADDRESS = 'voucher-misses-of-address';
/** The longest wait of a look-up for a unit. */
const WAIT_MS = 5_000;

/** Limits how often companies look up vouchers that do not exist or belong to another company. */
export function createVoucherGuessLimit(rateLimits: RateLimits): VoucherGuessLimit {
  const running = createRunningCounts();
  const turns = createFairSemaphore({
    places: Number.POSITIVE_INFINITY,
    placesPerOwner: 1,
    waitMs: WAIT_MS,
  });

  const giveBack = async (company: string, address?: string): Promise<void> => {
    await rateLimits.giveBack(COMPANY, company);
    if (address !== undefined) await rateLimits.giveBack(ADDRESS, address);
  };

  /**
   * Takes a unit of the company and of its address. `again`: none was free, and a running look-up
   * may return one. Companies may share an address: a company without misses and without running
   * look-ups is not refused for the misses of others.
   */
  async function takePlaces(
    company: string,
    address: string,
    deadline: number,
  ): Promise<'taken' | 'again' | Quota> {
    const nextEnd = (subject: string) =>
      running.nextEnd(subject, Math.max(0, deadline - performance.now()));
    const wereRunning = running.of(company) + running.of(address) > 0;
    const ofCompany = await rateLimits.spend(COMPANY, company);
    if (!ofCompany.ok) {
      await giveBack(company);
      if (running.of(company) > 0) await nextEnd(company);
      return wereRunning ? 'again' : ofCompany;
    }
    const ofAddress = await rateLimits.spend(ADDRESS, address);
    const isAlone = ofCompany.quota - ofCompany.remaining <= 1;
    if (ofAddress.ok || isAlone) return 'taken';
    await giveBack(company, address);
    const awaited = [company, address].find((subject) => running.of(subject) > 0);
    if (awaited !== undefined) await nextEnd(awaited);
    return wereRunning ? 'again' : ofAddress;
  }

  /** Look-ups of one company take their units one at a time; the wait for those before counts, too. */
  async function admit(company: string, address: string): Promise<'admitted' | Refusal> {
    const deadline = performance.now() + WAIT_MS;
    const admitted = await turns.use(company, async () => {
      for (;;) {
        const taken = await takePlaces(company, address, deadline);
        if (taken === 'taken') {
          running.begin(company, address);
          return 'admitted';
        }
        if (taken !== 'again') return refuseTooMany(taken);
        if (performance.now() >= deadline) return undefined;
      }
    });
    return admitted ?? refuse('too-many-requests', { retryAfterSeconds: 1 });
  }

  return (requester) =>
    async ({ code, run, refusalOf, refused }) => {
      const company = `${requester.company.kind} ${requester.company.id}`;
      const address = addressGroup(requester.sourceAddress);
      const admitted = await admit(company, address);
      if (admitted !== 'admitted') return refused(admitted);
      let isMiss = false;
      try {
        const result = await run();
        isMiss = code.canonical !== undefined && tellsMiss(requester, refusalOf(result));
        return result;
      } finally {
        if (!isMiss) await giveBack(company, address);
        running.end(company, address);
      }
    };
}

/**
 * Whether an answer is that of a guess. A code with a wrong check character does not count, because
 * its refusal reveals nothing.
 */
const tellsMiss = ({ company }: Requester, refusal: Pick<Refusal, 'reason'> | undefined): boolean =>
  refusal?.reason === 'voucher-not-found' ||
  (refusal?.reason === 'voucher-restricted' && company.kind === 'merchant');
