/** A transaction that a provider has in its books, as an adapter lists it. */
export interface ProviderTransaction {
  /** Our reference; null where the provider has none. */
  readonly reference: string | null;
  readonly providerReference: string | null;
  /** A transaction whose status is not final, or not known to us, is pending. */
  readonly status: 'completed' | 'pending' | 'failed' | 'reversed';
  /** Decimal string; null where the provider does not say it. */
  readonly amount: string | null;
  /** ISO 4217 */
  readonly currency: string | null;
  /** Who received it: personal data. */
  readonly party: string | null;
  /** What we wrote for people when we sent it. */
  readonly description: string | null;
  /** The provider's id of a package. */
  readonly productId: string | null;
  readonly at: Date;
}

/** All transactions of a time, or the reason why they could not be listed completely. */
export type TransactionList =
  | { readonly kind: 'listed'; readonly transactions: readonly ProviderTransaction[] }
  | { readonly kind: 'not-listed'; readonly message: string };

/** A page of a list; the last one has fewer than a full page, or nothing. */
type TransactionPage =
  | {
      readonly kind: 'page';
      readonly transactions: readonly ProviderTransaction[];
      readonly isLast: boolean;
    }
  | { readonly kind: 'not-listed'; readonly message: string };

/** At most this many pages of one list are read. */
const MAXIMUM_PAGES = 2_000;

/** Reads page after page; an incomplete list is none, because what is missing would be lost. */
export async function readPages(
  pageAt: (index: number) => Promise<TransactionPage>,
): Promise<TransactionList> {
  const transactions: ProviderTransaction[] = [];
  for (let index = 0; index < MAXIMUM_PAGES; index += 1) {
    const page = await pageAt(index);
    if (page.kind === 'not-listed') return page;
    transactions.push(...page.transactions);
    if (page.isLast) return { kind: 'listed', transactions };
  }
  return { kind: 'not-listed', message: 'The provider lists too many transactions.' };
}

/** A page whose answer is not readable as a whole. */
export const notListed = (message: string) => ({ kind: 'not-listed', message }) as const;
