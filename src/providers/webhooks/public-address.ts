import ipaddr from 'ipaddr.js';

/** All global unicast addresses of IPv6 lie in it (RFC 4291). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an address belongs to the public internet: not loopback, private, link-local, carrier-grade
 * NAT, multicast or reserved, and no IPv6 form that holds an IPv4 address, because a gateway would lead
 * it back into a private network. IPv4-mapped addresses count as IPv4.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast') return false;
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST);
}
