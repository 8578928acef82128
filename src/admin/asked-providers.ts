/** The providers that were asked, in their order. */
export const askedProviders = ({
  provider,
  failovers,
}: {
  readonly provider: string | null;
  readonly failovers: readonly { readonly from: string }[];
}): string => [...failovers.map(({ from }) => from), provider].filter(Boolean).join(', then ');
