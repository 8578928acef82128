import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/** Whether an address in text belongs to a list; unreadable text belongs to none. */
export type AddressMatcher = (address: string) => boolean;

/**
 * Reads a list of IPv4 and IPv6 addresses and CIDR ranges once and answers a test for membership
 * (design 8). `::ffff:` forms equal the IPv4 address they hold. Entries that are neither address
 * nor range match nothing, so that a mistake in a list never lets anybody in.
 */
export function createAddressMatcher(entries: readonly string[]): AddressMatcher {
  const ranges = entries.map(parseRange).filter((range) => range !== undefined);
  return (text) => {
    const address = parseAddress(text);
    return address !== undefined && ranges.some((range) => contains(range, address));
  };
}

/**
 * An address or a CIDR range as it is registered, in its one spelling: 203.0.113.7/28 is
 * 203.0.113.0/28. Undefined for what is neither, and for what no call comes from: unspecified and
 * multicast addresses, and those with the zone of one machine.
 */
export function canonicalRange(text: string): string | undefined {
  const range = text.includes('%') ? undefined : parseRange(text);
  if (range === undefined || SOURCE_OF_NOTHING.some((entry) => isWithin(range, entry))) return;
  const [address, bits] = range;
  const maximum = maximumBits(address);
  const kind = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  const network = kind.networkAddressFromCIDR(`${address}/${bits}`);
  return bits === maximum ? `${network}` : `${network}/${bits}`;
}

/** Whether an address or a range is seen as such within one network only, if at all. */
export function isInsideNetwork(text: string): boolean {
  const [address] = parseRange(text) ?? [];
  return address !== undefined && INSIDE.has(address.range());
}

const INSIDE: ReadonlySet<string> = new Set([
  ...['private', 'uniqueLocal', 'linkLocal', 'carrierGradeNat', 'loopback'],
]);

/**
 * The address a request really came from (design 8). X-Forwarded-For is written by whoever wants,
 * so it counts only as far as trusted proxies wrote it: from the right, skipping trusted addresses,
 * up to the first that is not trusted. At an unreadable entry the walk stops at the proxy that sent
 * it. The answer is normalised; undefined where the connection itself has no readable address.
 */
export function clientAddress(
  remoteAddress: string | undefined,
  xForwardedFor: string | undefined,
  isTrustedProxy: AddressMatcher,
): string | undefined {
  let address = normalise(remoteAddress);
  const hops = xForwardedFor?.split(',') ?? [];
  while (address !== undefined && isTrustedProxy(address)) {
    const next = normalise(hops.pop()?.trim());
    if (next === undefined) break;
    address = next;
  }
  return address;
}

/** The bits of an IPv6 address that one customer of a network has for its own. */
const NETWORK_BITS = 64;

/** What is counted as one address: an IPv6 network counts as one, since its owner has all of it. */
export function addressGroup(text: string): string {
  const address = parseAddress(text);
  if (!(address instanceof ipaddr.IPv6)) return text;
  const network = address.toByteArray().slice(0, NETWORK_BITS / 8);
  return `${Buffer.from(network).toString('hex')}/${NETWORK_BITS}`;
}

const normalise = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : parseAddress(text)?.toString();

/** The longest IPv6 address holds an IPv4 one: 45 characters. */
const MAX_ADDRESS_LENGTH = 45;

/** Those that were read: few callers make many requests, and each looks at its address thrice. */
const readAddresses = new LRUCache<string, { readonly address: Address | undefined }>({
  max: 10_000,
  memoMethod: (whole) => ({ address: readAddress(whole) }),
});

function parseAddress(text: string): Address | undefined {
  // A zone such as "%eth0" names a network card of this machine and is no part of the address.
  const [whole = ''] = text.split('%', 1);
  if (whole.length > MAX_ADDRESS_LENGTH) return undefined;
  return readAddresses.memo(whole).address;
}

/** Only the four-part decimal form of IPv4: "127.1" and "0x7f000001" are no addresses here. */
function readAddress(whole: string): Address | undefined {
  // The form that a dual-stack socket reports, on every request.
  const bare = whole.replace(/^::ffff:(?=[0-9.]+$)/i, '');
  if (ipaddr.IPv4.isValidFourPartDecimal(bare)) return ipaddr.IPv4.parse(bare);
  if (!bare.includes(':') || !ipaddr.IPv6.isValid(bare)) return undefined;
  const address = ipaddr.IPv6.parse(bare);
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

const MAPPED_PREFIX_BITS = 96;

const maximumBits = (address: Address): number => (address.kind() === 'ipv4' ? 32 : 128);

function parseRange(text: string): Range | undefined {
  const [addressText = '', bitsText, ...rest] = text.split('/');
  const address = parseAddress(addressText);
  if (address === undefined || rest.length > 0) return undefined;
  const maximum = maximumBits(address);
  if (bitsText === undefined) return [address, maximum];
  if (!/^[0-9]{1,3}$/.test(bitsText)) return undefined;
  const isMapped = address.kind() === 'ipv4' && addressText.includes(':');
  const bits = Number(bitsText) - (isMapped ? MAPPED_PREFIX_BITS : 0);
  return bits >= 0 && bits <= maximum ? [address, bits] : undefined;
}

function contains([base, bits]: Range, address: Address): boolean {
  return address.kind() === base.kind() && address.match(base, bits);
}

const isWithin = ([address, bits]: Range, outer: Range): boolean =>
  bits >= outer[1] && contains(outer, address);

/** Whether two ranges have an address in common: one of them is within the other. */
export function rangesOverlap(one: string, other: string): boolean {
  const [first, second] = [parseRange(one), parseRange(other)];
  if (first === undefined || second === undefined) return false;
  return isWithin(first, second) || isWithin(second, first);
}

const SOURCE_OF_NOTHING = ['0.0.0.0/8', '224.0.0.0/4', '255.255.255.255', '::', 'ff00::/8']
  .map(parseRange)
  .filter((range) => range !== undefined);
