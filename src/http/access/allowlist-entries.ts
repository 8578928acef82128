import type { AllowlistHostnames } from './allowlist-hostnames.js';
import { parseHostName } from './host-name.js';
import { type AddressMatcher, canonicalRange, createAddressMatcher } from './source-address.js';

/** So many names a company may have, since each is asked for again and again. */
export const MAXIMUM_NAMES = 10;

/** Whether a registered entry is a name, and neither an address nor a range. */
export const isAllowlistHostname = (entry: string): boolean => parseHostName(entry) !== undefined;

/** The widest ranges that can be registered, by the length of their prefix: who may go how far. */
const LEAST_BITS = {
  company: { ipv4: 16, ipv6: 32 },
  operator: { ipv4: 8, ipv6: 20 },
} as const;

export type ReadAllowlistEntry =
  | { readonly ok: true; readonly entry: string }
  | { readonly ok: false; readonly problem: 'unreadable' }
  | { readonly ok: false; readonly problem: 'too-wide'; readonly leastBits: number };

/**
 * Reads what is registered as a place that calls come from: an address, a CIDR range or a fully
 * qualified name. `entry` is the one spelling in which it is kept, and the one whose width counts:
 * `::ffff:0:0/96` is all of IPv4.
 */
export function readAllowlistEntry(text: string, by: keyof typeof LEAST_BITS): ReadAllowlistEntry {
  const entry = canonicalRange(text) ?? parseHostName(text);
  if (entry === undefined) return { ok: false, problem: 'unreadable' };
  const leastBits = LEAST_BITS[by][entry.includes(':') ? 'ipv6' : 'ipv4'];
  const [, bits] = entry.split('/');
  return bits === undefined || Number(bits) >= leastBits
    ? { ok: true, entry }
    : { ok: false, problem: 'too-wide', leastBits };
}

/** Whether a registered entry lets calls in: ranges that nobody may register let nobody in. */
export const countsAsSource = (entry: string): boolean => {
  const read = readAllowlistEntry(entry, 'operator');
  return read.ok || read.problem !== 'too-wide';
};

/** Where a company may call from. */
export interface SourceCheck {
  readonly isRegisteredAddress: AddressMatcher;
  /** Whether a name of it was never answered yet, so that "no" may become "yes" in a moment. */
  readonly awaitsNames: () => boolean;
}

/** Reads a company's entries once; names are looked at anew for each call. */
export function createSourceCheck(
  entries: readonly string[],
  names: AllowlistHostnames,
): SourceCheck {
  const isListed = createAddressMatcher(entries.filter(countsAsSource));
  const named = entries.filter(isAllowlistHostname).slice(0, MAXIMUM_NAMES);
  // Names are asked for as soon as they are known of, and not only when they are needed.
  for (const name of named) names.addressesOf(name);
  return {
    isRegisteredAddress: (address) =>
      isListed(address) ||
      named.some((name) => createAddressMatcher(names.addressesOf(name) ?? [])(address)),
    awaitsNames: () => named.some((name) => names.addressesOf(name) === undefined),
  };
}
