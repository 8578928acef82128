import { z } from 'zod';
import { localServers } from '../local-ports.ts';
import {
  addressOrRange,
  commaList,
  constant,
  count,
  folder,
  limit,
  port,
  seconds,
  webAddress,
} from '../setting-kinds.ts';

/** The HTTP server: its addresses and its limits. */
export const httpSettings = {
  HOST: z
    .string()
    .default('127.0.0.1')
    .describe('Address that the API, the codec server or the sandbox process listens on'),
  PORT: port.default(localServers.api.usual).describe('Port of the API'),
  PUBLIC_URL: webAddress.optional().meta({
    description: 'Public address of the service; the base of links',
    whenUnset: '`http://localhost:PORT`',
  }),
  SANDBOX_URL: webAddress.optional().meta({
    description:
      'Address at which integrators reach the provider sandbox: the guides and the portal lead to ' +
      'its phone. For the test environment only',
    whenUnset: 'no link; `npm start`: its own sandbox',
  }),
  TRUSTED_PROXIES: commaList
    .pipe(z.array(addressOrRange))
    .describe('Addresses and CIDR ranges, separated by commas, whose `X-Forwarded-For` counts'),
  PROMO_IMAGE_FOLDER: folder.optional().meta({
    description:
      'Folder of the images of promos: `promoImage` is a path in it, and below `PUBLIC_URL`',
    whenUnset: 'no images; `npm start`: those of the demo',
  }),
  SECURITY_CONTACT: z
    .string()
    .regex(/^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/, 'must be a mailto: or https: address')
    .optional()
    .meta({
      description:
        'Where weaknesses are reported, a `mailto:` or `https:` address: `/.well-known/security.txt` ' +
        'names it',
      whenUnset: 'no such file',
    }),
  /** Time within which the headers of a request must arrive. */
  HEADERS_TIMEOUT_SECONDS: constant(10),
  /** Time within which the whole request must arrive. */
  REQUEST_TIMEOUT_SECONDS: constant(30),
  /**
   * Time without traffic after which the server closes a connection, also before it has answered;
   * must be longer than `CALLER_WAIT_SECONDS`.
   */
  IDLE_TIMEOUT_SECONDS: constant(60),
  CONNECTION_LIMIT: count
    .default(5_000)
    .describe('Connections of each process; further ones are closed unread'),
  /**
   * Connections of one address (IPv6: one /64 network). `TRUSTED_PROXIES` have no such limit:
   * without them all callers behind a proxy would share one.
   */
  CONNECTIONS_PER_ADDRESS: constant(1_000),
  /**
   * Places reserved for addresses with at most 8 connections and for trusted proxies; at most a
   * quarter of `CONNECTION_LIMIT`.
   */
  CONNECTION_RESERVE: constant(500),
  DRAIN_SECONDS: limit.default(5).meta({
    description:
      'Time for which an API that is told to stop serves on after `/health/ready` has become 503; ' +
      'longer than the interval at which the load balancer asks, times the failures it wants to see. 0: none',
    whenUnset: '5; `npm start`: 0',
  }),
  CALLER_WAIT_SECONDS: seconds
    .default(8)
    .describe('Longest time that a caller waits before the answer is "still processing"'),
};
