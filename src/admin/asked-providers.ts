/** The providers that were asked, in their order. */
export const askedProviders = (
  placements: readonly { readonly kind: string; readonly provider: string }[],
): string =>
  placements
    .filter(({ kind }) => kind !== 'reversal')
    .map(({ provider }) => provider)
    .join(', then ');
