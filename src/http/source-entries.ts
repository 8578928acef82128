import { parseHostName } from './host-name.js';
import { type AddressMatcher, canonicalRange, createAddressMatcher } from './source-address.js';
import type { SourceNames } from './source-names.js';

/** So many names a company may have, since each is asked for again and again. */
export const MAXIMUM_NAMES = 10;

/** Whether a registered entry is a name, and neither an address nor a range. */
export const isSourceName = (entry: string): boolean => parseHostName(entry) !== undefined;

/**
 * What can be registered as a place that calls come from, in the one spelling in which it is kept:
 * an address, a CIDR range or a fully qualified name. Undefined for everything else.
 */
export const parseSourceEntry = (text: string): string | undefined =>
  canonicalRange(text) ?? parseHostName(text);

/** Where a company may call from. */
export interface SourceCheck {
  readonly isRegisteredAddress: AddressMatcher;
  /** Whether a name of it was never answered yet, so that "no" may become "yes" in a moment. */
  readonly awaitsNames: () => boolean;
}

/** Reads a company's entries once; names are looked at anew for each call. */
export function createSourceCheck(entries: readonly string[], names: SourceNames): SourceCheck {
  const isListed = createAddressMatcher(entries);
  const named = entries.filter(isSourceName).slice(0, MAXIMUM_NAMES);
  // Names are asked for as soon as they are known of, and not only when they are needed.
  for (const name of named) names.addressesOf(name);
  return {
    isRegisteredAddress: (address) =>
      isListed(address) ||
      named.some((name) => createAddressMatcher(names.addressesOf(name) ?? [])(address)),
    awaitsNames: () => named.some((name) => names.addressesOf(name) === undefined),
  };
}
