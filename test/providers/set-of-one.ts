import type { ProviderSet } from '../../src/providers/provider-set.ts';

/** A set of this provider alone. */
export const setOfOne = <Name extends string, Port>(
  name: Name,
  port: Port,
): ProviderSet<Name, Port> => ({
  defaultName: name,
  names: [name],
  named: () => port,
  isAvailable: () => true,
  hasMoney: () => true,
});
