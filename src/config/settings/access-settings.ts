import { z } from 'zod';
import { areServers, commaList, count, ed25519PublicKeys, seconds } from '../setting-kinds.ts';

/** Tokens, registered addresses, signatures, and rate limits. */
export const accessSettings = {
  ACCESS_TOKEN_FURTHER_KEYS: ed25519PublicKeys
    .prefault('')
    .describe(
      'Further Ed25519 public keys in PEM, concatenated, whose tokens are accepted: the ' +
        'previous key, or the next one',
    ),
  ACCESS_TOKEN_LIFETIME_SECONDS: seconds.default(300).describe('Lifetime of an access token'),
  ACCESS_CACHE_SECONDS: seconds
    .max(2)
    .default(1)
    .describe(
      'Longest time that a process caches keys, addresses and suspensions, ' +
        'and so the time that a revoked key may still work; at most 2',
    ),
  DNS_SERVERS: commaList.refine(areServers, 'must be addresses, optionally with a port').meta({
    description:
      'DNS servers for registered names, `address` or `address:port`, separated by commas',
    whenUnset: "the system's",
  }),
  DNS_TIMEOUT_SECONDS: seconds.default(5).describe('Time limit of one DNS query'),
  DNS_MINIMUM_SECONDS: seconds
    .default(30)
    .describe('Shortest time between two lookups of a name; otherwise its time to live decides'),
  DNS_MAXIMUM_SECONDS: seconds
    .default(3_600)
    .describe('Longest time between two lookups of a name'),
  DNS_STALE_SECONDS: seconds
    .default(3_600)
    .describe(
      'Time that the last answer stays valid beyond its time to live while no DNS server answers',
    ),
  SIGNATURE_WINDOW_SECONDS: seconds
    .default(300)
    .describe("Largest difference between a time in `x-signature` and the service's clock"),
  API_KEY_OVERLAP_HOURS: z.coerce
    .number()
    .min(0)
    .max(720)
    .default(24)
    .describe('Time that the old key works after a rotation, unless the rotation names another'),
  CALL_RECORD_INTERVAL_SECONDS: seconds
    .default(1)
    .describe('Interval at which the API writes its record of accepted and refused calls'),
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
  KEY_MISSES_PER_ADDRESS_AND_HOUR: count
    .default(200)
    .describe('Log-ins with invalid API keys from one address'),
  KEY_MISSES_PER_PREFIX_AND_HOUR: count
    .default(200)
    .describe('Log-ins with invalid API keys of one prefix'),
  SIGNATURE_DIAGNOSES_PER_MERCHANT_AND_MINUTE: count
    .default(30)
    .describe(
      'Wrong signatures of one merchant whose cause is searched for; further ones are refused ' +
        'without a cause',
    ),
  VOUCHER_MISSES_PER_COMPANY_AND_HOUR: count
    .default(100)
    .describe(
      'Requests of one company for voucher codes that do not exist or belong to another company',
    ),
  VOUCHER_MISSES_PER_ADDRESS_AND_HOUR: count
    .default(200)
    .describe('Such requests from one address'),
};
