import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/** Whether a list contains an address; false for unreadable text. */
export type AddressMatcher = (address: string) => boolean;

/**
 * Compiles a list of IPv4 and IPv6 addresses and CIDR ranges into a membership test.
 * `::ffff:` forms equal the embedded IPv4 address. Unreadable entries match nothing, so that a
 * mistake in a list never admits anybody.
 */
export function createAddressMatcher(entries: readonly string[]): AddressMatcher {
  const ranges = entries.map(parseRange).filter((range) => range !== undefined);
  return (text) => {
    const address = parseAddress(text);
    return address !== undefined && ranges.some((range) => contains(range, address));
  };
}

/**
 * The canonical form of an address or a CIDR range: 203.0.113.7/28 becomes 203.0.113.0/28.
 * Undefined for other text and for addresses that no call comes from: unspecified, multicast, and
 * zoned.
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

/** Whether an address or a range is not public. */
export function isInsideNetwork(text: string): boolean {
  const [address] = parseRange(text) ?? [];
  return address !== undefined && INSIDE.has(address.range());
}

const INSIDE: ReadonlySet<string> = new Set([
  ...['private', 'uniqueLocal', 'linkLocal', 'carrierGradeNat', 'loopback'],
]);

/**
 * The address that a request came from. Anybody can write X-Forwarded-For, so it is read
 * from the right: trusted proxies are skipped, and the first address that is not trusted is the
 * result. An unreadable entry ends the walk at the proxy that sent it. The result is normalised;
 * undefined where the connection itself has no readable address.
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

/** Bits of an IPv6 address that identify one customer's network. */
const NETWORK_BITS = 64;

/**
 * The unit of address limits: an IPv4 address, or an IPv6 network, because one customer owns all of
 * it.
 */
export function addressGroup(text: string): string {
  const address = parseAddress(text);
  if (!(address instanceof ipaddr.IPv6)) return text;
  const network = address.toByteArray().slice(0, NETWORK_BITS / 8);
  return `${Buffer.from(network).toString('hex')}/${NETWORK_BITS}`;
}

const normalise = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : parseAddress(text)?.toString();

/** Length of the longest form, an IPv6 address with an embedded IPv4 address. */
const MAX_ADDRESS_LENGTH = 45;

/**
 * Cache of parsed addresses: few callers send many requests, and each request needs its address
 * three times.
 */
const readAddresses = new LRUCache<string, { readonly address: Address | undefined }>({
  max: 10_000,
  memoMethod: (whole) => ({ address: readAddress(whole) }),
});

function parseAddress(text: string): Address | undefined {
  // A zone such as "%eth0" names a local network card and is no part of the address.
  const [whole = ''] = text.split('%', 1);
  if (whole.length > MAX_ADDRESS_LENGTH) return undefined;
  return readAddresses.memo(whole).address;
}

/** Only the dotted form of four parts counts: "127.1" and "0x7f000001" are no addresses here. */
function readAddress(whole: string): Address | undefined {
  // The form that a dual-stack socket reports for every IPv4 request.
  const bare = whole.replace(/^::ffff:(?=\d+\.)/i, '');
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
