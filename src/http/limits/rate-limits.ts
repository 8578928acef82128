import { CompiledQuery } from 'kysely';
import type { Logger } from 'pino';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import type { Database } from '../../db/connection.js';
import { type Refusal, refuse } from '../../domain/errors.js';

const MINUTE = 60;
const HOUR = 3_600;

/** What is counted, and the time that a count is kept for. */
const windows = {
  /** Calls from one address. */
  address: MINUTE,
  /** Calls of one company. */
  company: MINUTE,
  /** Log-ins with keys that are not valid, from one address. */
  'key-misses-of-address': HOUR,
  /** The same with one beginning of a key. */
  'key-misses-of-prefix': HOUR,
  /** Voucher codes that do not exist or are another's, asked for by one company. */
  'voucher-misses-of-company': HOUR,
  /** The same from one address. */
  'voucher-misses-of-address': HOUR,
} as const;

export type RateLimitPolicy = keyof typeof windows;

/** What a subject has left of a policy. */
export interface Quota {
  readonly policy: RateLimitPolicy;
  readonly quota: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  /** Until the count begins anew; at least 1. */
  readonly resetSeconds: number;
  /** Whether the one that was counted is within the quota. */
  readonly ok: boolean;
}

export interface RateLimits {
  /** Counts one more for a subject. */
  spend(policy: RateLimitPolicy, subject: string): Promise<Quota>;
  /** Takes back one that was counted: it turned out not to be of the kind. */
  giveBack(policy: RateLimitPolicy, subject: string): Promise<void>;
}

/** The answer to who has spent what there was. */
export const refuseTooMany = ({ resetSeconds }: Quota): Refusal =>
  refuse('too-many-requests', { retryAfterSeconds: resetSeconds });

/** What clients are told of a quota (draft-ietf-httpapi-ratelimit-headers-11). */
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

/** A count that cannot be had in this time is kept in memory instead. */
const STORE_WAIT_MS = 500;

/**
 * Counts in fixed windows: in the memory of this process, or in PostgreSQL for all processes
 * together. While the database is away, each process counts for itself (fault F54).
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
        // This is how the limiter says no.
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
    // Who has spent everything costs no more writes. What is given back must not block anybody.
    ...(isGivenBack(policy) ? {} : { inMemoryBlockOnConsumed: shared.points + 1 }),
  });
}

/** The service's own connections, as the limiter asks them. */
function storeClient(database: Database, logger: Logger) {
  return {
    async query({ text, values }: { readonly text: string; readonly values: unknown[] }) {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error('The count takes too long')), STORE_WAIT_MS);
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
