import ipaddr from 'ipaddr.js';

const BLOCK_BITS = 64;

/**
 * What counts as one caller: an IPv4 address, or the /64 of an IPv6 address, of which one machine
 * may use every address. The address is normalised; empty where the connection has none.
 */
export function addressBlock(address: string): string {
  if (!address.includes(':')) return address;
  return ipaddr.IPv6.networkAddressFromCIDR(`${address}/${BLOCK_BITS}`).toString();
}
