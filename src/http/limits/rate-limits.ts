import { CompiledQuery } from 'kysely';
import type { Logger } from 'pino';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import type { Database } from '../../db/connection.ts';
import { type Refusal, refuse } from '../../domain/refusals.ts';

const MINUTE = 60;
const HOUR = 3_600;

/** The policies, and the window of each. */
const windows = {
  /** Calls from one address. */
  address: MINUTE,
  /** Calls of one company. */
  company: MINUTE,
  /** Failed log-ins from one address. */
  'key-misses-of-address': HOUR,
  /** Failed log-ins with one key prefix. */
  'key-misses-of-prefix': HOUR,
  /** Diagnoses of one merchant's wrong signatures. */
  'signature-diagnoses': MINUTE,
  /** Look-ups by one company of voucher codes that do not exist or belong to another company. */
  'voucher-misses-of-company': HOUR,
  /** Such look-ups from one address. */
  'voucher-misses-of-address': HOUR,
} as const;

export type RateLimitPolicy = keyof typeof windows;

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

export interface RateLimits {
  /** Counts one event of a subject. */
  spend(policy: RateLimitPolicy, subject: string): Promise<Quota>;
  /** Uncounts one event that turned out not to match the policy. */
  giveBack(policy: RateLimitPolicy, subject: string): Promise<void>;
}

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
 * together. While the database is unavailable, each process counts on its own (fault F54).
 */
export function createRateLimits(options: {
  readonly store: 'memory' | 'postgres';
  readonly database: Database;
  readonly logger: Logger;
  readonly quotas: Readonly<Record<RateLimitPolicy, number>>;
}): RateLimits {
  const { quotas } = options;
  const limiters = new Map<RateLimitPolicy, RateLimiterAbstract>();
  for (const policy of Object.keys(windows) as RateLimitPolicy[])
    limiters.set(policy, createLimiter(policy, options, limiters.size === 0));

  const limiterOf = (policy: RateLimitPolicy) => limiters.get(policy) as RateLimiterAbstract;
  const quotaOf = (policy: RateLimitPolicy, spent: RateLimiterRes, ok: boolean): Quota => ({
    policy,
    quota: quotas[policy],
    windowSeconds: windows[policy],
    remaining: spent.remainingPoints,
    resetSeconds: Math.max(1, Math.ceil(spent.msBeforeNext / 1_000)),
    ok,
  });
  return {
    async spend(policy, subject) {
      try {
        return quotaOf(policy, await limiterOf(policy).consume(subject), true);
      } catch (reason) {
        // The limiter rejects with its result when the quota is exceeded.
        if (reason instanceof RateLimiterRes) return quotaOf(policy, reason, false);
        throw reason;
      }
    },
    async giveBack(policy, subject) {
      await limiterOf(policy).reward(subject);
    },
  };
}

function createLimiter(
  policy: RateLimitPolicy,
  options: Parameters<typeof createRateLimits>[0],
  clearsTable: boolean,
): RateLimiterAbstract {
  const shared = { keyPrefix: policy, points: options.quotas[policy], duration: windows[policy] };
  const memory = new RateLimiterMemory(shared);
  if (options.store === 'memory') return memory;
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
    ...(isGivenBack(policy) ? {} : { inMemoryBlockOnConsumed: shared.points + 1 }),
  });
}

/** The service's own connections behind the limiter's client interface. */
function storeClient(database: Database, logger: Logger) {
  return {
    async query({ text, values }: { readonly text: string; readonly values: unknown[] }) {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(
          () => reject(new Error('The rate-limit store timed out')),
          STORE_WAIT_MS,
        );
      });
      try {
        const result = database.executeQuery(CompiledQuery.raw(text, [...values]));
        const { rows } = await Promise.race([result, late]);
        return { rows, rowCount: rows.length };
      } catch (error) {
        logger.warn({ error: (error as Error).name }, 'Rate limits are counted in memory');
        throw error;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
