import { z } from 'zod';
import { areServers, commaList, constant, count, ed25519PublicKeys } from '../setting-kinds.ts';

/** Tokens, registered addresses, signatures, and rate limits. */
export const accessSettings = {
  ACCESS_TOKEN_FURTHER_KEYS: ed25519PublicKeys
    .prefault('')
    .describe(
      'Further Ed25519 public keys in PEM, concatenated, whose tokens are accepted: the ' +
        'previous key, or the next one',
    ),
  /** Lifetime of an access token. */
  ACCESS_TOKEN_LIFETIME_SECONDS: constant(300),
  /**
   * Longest time that a process caches keys, addresses and suspensions, and so the time that a
   * revoked key may still work.
   */
  ACCESS_CACHE_SECONDS: constant(1),
  DNS_SERVERS: commaList.refine(areServers, 'must be addresses, optionally with a port').meta({
    description:
      'DNS servers for registered names, `address` or `address:port`, separated by commas',
    whenUnset: "the system's",
  }),
  /** Time limit of one DNS query. */
  DNS_TIMEOUT_SECONDS: constant(5),
  /** Shortest time between two lookups of a name; otherwise its time to live decides. */
  DNS_MINIMUM_SECONDS: constant(30),
  /** Interval at which the API writes its record of accepted and refused calls. */
  CALL_RECORD_INTERVAL_SECONDS: constant(1),
  RATE_LIMIT_STORE: z
    .enum(['memory', 'postgres'])
    .default('memory')
    .describe(
      '`memory`: each process counts on its own; `postgres`: all processes count together, ' +
        'at one write for each call',
    ),
  CALLS_PER_ADDRESS_AND_MINUTE: count
    .default(240_000)
    .describe('Calls from one address (IPv6: one /64 network)'),
  CALLS_PER_COMPANY_AND_MINUTE: count
    .default(120_000)
    .describe('Calls of one company, log-ins included'),
  /** Log-ins with invalid API keys from one address. */
  KEY_MISSES_PER_ADDRESS_AND_HOUR: constant(200),
  /** Log-ins with invalid API keys of one prefix. */
  KEY_MISSES_PER_PREFIX_AND_HOUR: constant(200),
  /**
   * Wrong signatures of one merchant whose cause is searched for; further ones are refused without a
   * cause.
   */
  SIGNATURE_DIAGNOSES_PER_MERCHANT_AND_MINUTE: constant(30),
  /** Requests of one company for voucher codes that do not exist or belong to another company. */
  VOUCHER_MISSES_PER_COMPANY_AND_HOUR: constant(100),
  /** Such requests from one address. */
  VOUCHER_MISSES_PER_ADDRESS_AND_HOUR: constant(200),
};
