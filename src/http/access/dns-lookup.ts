import { Resolver } from 'node:dns/promises';
import ipaddr from 'ipaddr.js';

/**
 * Result of a DNS query. `ok` is false when no server answered; a name without addresses is `ok`.
 */
export type DnsAnswer =
  | {
      readonly ok: true;
      readonly addresses: readonly string[];
      readonly ttlSeconds: number;
      /** False when the query for IPv4 or for IPv6 failed. */
      readonly isWhole: boolean;
    }
  | { readonly ok: false };

/** Upper bound of plausible server lists. */
const MAXIMUM_ADDRESSES = 32;
/** The name or the record type does not exist: a definite answer. */
const NOT_THERE = new Set(['ENOTFOUND', 'ENODATA']);

/**
 * Resolves a name to its IPv4 and IPv6 addresses. The service only compares them with callers; it
 * never connects to them. Outside the test environment only public addresses count, so that a name
 * cannot admit processes on this machine or in its private network (fault F48).
 */
export function createDnsLookup(options: {
  /** `address` or `address:port`; empty for the servers of the system. */
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

/** Public: not loopback, private, link-local, multicast or otherwise reserved. */
function isPublic(text: string): boolean {
  const address = ipaddr.process(text);
  return address.range() === 'unicast';
}
