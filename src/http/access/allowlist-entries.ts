import type { AllowlistHostnames } from './allowlist-hostnames.ts';
import { parseHostName } from './host-name.ts';
import {
  type AddressMatcher,
  canonicalRange,
  createAddressMatcher,
  rangesOverlap,
} from './source-address.ts';

/** Names per company, since each needs repeated DNS queries. */
export const MAXIMUM_NAMES = 10;

/** Whether a registered entry is a host name. */
export const isAllowlistHostname = (entry: string): boolean => parseHostName(entry) !== undefined;

/** The shortest prefix lengths that a person of a company and an operator may register. */
const LEAST_BITS = {
  company: { ipv4: 16, ipv6: 32 },
  operator: { ipv4: 8, ipv6: 20 },
} as const;

/**
 * Where IPv6 holds all of IPv4, and behind how many bits an IPv4 address stands there. NAT64 networks of
 * one's own (RFC 8215) may place it further to the front, too: then their ranges hold even less of it.
 */
const EMBEDDED_IPV4: readonly { readonly range: string; readonly bitsBefore: number }[] = [
  { range: '::/96', bitsBefore: 96 },
  { range: '::ffff:0:0:0/96', bitsBefore: 96 },
  { range: '64:ff9b::/96', bitsBefore: 96 },
  { range: '64:ff9b:1::/48', bitsBefore: 96 },
  // Teredo: of the two that it holds, the one of the sender.
  { range: '2001::/32', bitsBefore: 96 },
  // 6to4
  { range: '2002::/16', bitsBefore: 16 },
];

/** The shortest prefix that an entry may have: one that holds IPv4 may hold no more than an IPv4 range. */
function leastBitsOf(entry: string, { ipv4, ipv6 }: (typeof LEAST_BITS)['company' | 'operator']) {
  if (!entry.includes(':')) return ipv4;
  const embedding = EMBEDDED_IPV4.filter(({ range }) => rangesOverlap(range, entry));
  return Math.max(ipv6, ...embedding.map(({ bitsBefore }) => bitsBefore + ipv4));
}

export type ReadAllowlistEntry =
  | { readonly ok: true; readonly entry: string }
  | { readonly ok: false; readonly problem: 'unreadable' }
  | { readonly ok: false; readonly problem: 'too-wide'; readonly leastBits: number };

/**
 * Reads an entry of the allow-list: an address, a CIDR range or a fully qualified name. `entry` is
 * its canonical form, whose width counts: `::ffff:0:0/96` is all of IPv4.
 */
export function readAllowlistEntry(text: string, by: keyof typeof LEAST_BITS): ReadAllowlistEntry {
  const entry = canonicalRange(text) ?? parseHostName(text);
  if (entry === undefined) return { ok: false, problem: 'unreadable' };
  const leastBits = leastBitsOf(entry, LEAST_BITS[by]);
  const [, bits] = entry.split('/');
  return bits === undefined || Number(bits) >= leastBits
    ? { ok: true, entry }
    : { ok: false, problem: 'too-wide', leastBits };
}

/**
 * Whether a registered entry is effective. A range that is too wide to be registered admits nobody.
 */
export const countsAsSource = (entry: string): boolean => {
  const read = readAllowlistEntry(entry, 'operator');
  return read.ok || read.problem !== 'too-wide';
};

/** The addresses that a company may call from. */
export interface SourceCheck {
  readonly isRegisteredAddress: AddressMatcher;
  /** Whether a name is not resolved yet, so that a refusal may soon change. */
  readonly awaitsNames: () => boolean;
}

/** Reads a company's entries once; host names are evaluated for each call. */
export function createSourceCheck(
  entries: readonly string[],
  names: AllowlistHostnames,
): SourceCheck {
  const isListed = createAddressMatcher(entries.filter(countsAsSource));
  const named = entries.filter(isAllowlistHostname).slice(0, MAXIMUM_NAMES);
  // Resolution starts now rather than with the first call.
  for (const name of named) names.addressesOf(name);
  return {
    isRegisteredAddress: (address) =>
      isListed(address) ||
      named.some((name) => createAddressMatcher(names.addressesOf(name) ?? [])(address)),
    awaitsNames: () => named.some((name) => names.addressesOf(name) === undefined),
  };
}
