import type { ProviderSet } from '../../src/providers/provider-set.js';

/** A set of this provider alone, under any name. */
export const setOfOne = <Port>(port: Port): ProviderSet<never, Port> => ({
  defaultName: 'only' as never,
  names: ['only' as never],
  named: () => port,
});
