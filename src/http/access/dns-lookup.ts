import { Resolver } from 'node:dns/promises';
import ipaddr from 'ipaddr.js';

/** What asking for a name came to; not `ok` where nobody knows, as opposed to nobody having it. */
export type DnsAnswer =
  | {
      readonly ok: true;
      readonly addresses: readonly string[];
      readonly ttlSeconds: number;
      /** False where nobody knows the addresses of one kind, IPv4 or IPv6. */
      readonly isWhole: boolean;
    }
  | { readonly ok: false };

/** More addresses than this are no list of somebody's servers. */
const MAXIMUM_ADDRESSES = 32;
/** The name, or a record of this kind for it, does not exist: a definite answer. */
const NOT_THERE = new Set(['ENOTFOUND', 'ENODATA']);

/**
 * Asks for the IPv4 and IPv6 addresses of a name. They are only ever compared with, never connected
 * to. Outside the test environment only public addresses count: a name must not open the door to
 * whoever shares a machine or a private network with this service (fault F48).
 */
export function createDnsLookup(options: {
  /** `address` or `address:port`; empty for those of the system. */
  readonly servers: readonly string[];
  readonly timeoutMs: number;
  readonly allowsPrivate: boolean;
}) {
  const { servers, timeoutMs, allowsPrivate } = options;
  const resolver = new Resolver({ timeout: timeoutMs, tries: 1 });
  if (servers.length > 0) resolver.setServers(servers);

  return {
    async lookUp(name: string): Promise<DnsAnswer> {
      const answers = await Promise.allSettled([
        resolver.resolve4(name, { ttl: true }),
        resolver.resolve6(name, { ttl: true }),
      ]);
      const records = answers.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
      const isWhole = answers.every(
        (one) => one.status === 'fulfilled' || NOT_THERE.has(one.reason?.code),
      );
      if (records.length === 0 && !isWhole) return { ok: false };
      const addresses = records
        .map(({ address }) => address)
        .filter((address) => allowsPrivate || isPublic(address));
      return {
        ok: true,
        addresses: [...new Set(addresses)].slice(0, MAXIMUM_ADDRESSES),
        ttlSeconds: Math.min(...records.map(({ ttl }) => ttl), Number.MAX_SAFE_INTEGER),
        isWhole,
      };
    },
    stop: () => resolver.cancel(),
  };
}

export type DnsLookup = ReturnType<typeof createDnsLookup>;

/** Neither loopback, private, link-local, multicast nor any other range with a purpose of its own. */
function isPublic(text: string): boolean {
  const address = ipaddr.process(text);
  return address.range() === 'unicast';
}
