import { z } from 'zod';
import { constant, count, databaseAddress } from '../setting-kinds.ts';

/** PostgreSQL, and the share of lists. */
export const databaseSettings = {
  DATABASE_URL: databaseAddress.describe(
    'Address of PostgreSQL; `npm start` starts an embedded server if this is not set',
  ),
  DATABASE_READ_URL: databaseAddress
    .optional()
    .describe(
      'Address of a replica of PostgreSQL for the whole check of the books, nightly and by ' +
        '`check-ledger`, and for day reports; without it they read `DATABASE_URL`',
    ),
  WORKER_DATABASE_URL: databaseAddress.optional().meta({
    description:
      'Address of PostgreSQL for the worker of `src/service.ts`, with a login of its role; the API in ' +
      'that process uses `DATABASE_URL`',
    whenUnset: 'both use `DATABASE_URL`',
  }),
  DATABASE_POOL_SIZE: count
    .default(20)
    .describe(
      "Connections of each process; a quarter of the API's are reserved for lists. One more is for health and the fence",
    ),
  /** How often a process looks whether the fence of a restored database stands, or was lifted. */
  FENCE_CHECK_SECONDS: constant(1),
  SYNCHRONOUS_REPLICATION: z
    .enum(['yes', 'no'])
    .default('no')
    .describe(
      '`yes` says that PostgreSQL answers a commit only when a standby has it, and that no other ' +
        'standby is ever promoted. With `no`, nothing is changed or sent after a promotion until an ' +
        'operator lifts the fence: the last commits may be lost',
    ),
  TRUST_UNENCRYPTED_NETWORK: z
    .enum(['yes', 'no'])
    .default('no')
    .describe(
      'With `ENVIRONMENT=production`, PostgreSQL and Temporal must be on this machine or ' +
        'encrypted (`sslmode` of `require`, `verify-ca` or `verify-full`; TLS). `yes` accepts ' +
        'a network without other participants: anybody on the network could read numbers ' +
        'and balances, and change them. The compose file sets it for its own network',
    ),
  /** Longest time that a statement of a list may take. */
  LIST_TIMEOUT_SECONDS: constant(3),
  /** Longest time that a list waits for one of its connections before the answer is 503. */
  LIST_WAIT_SECONDS: constant(1),
};
