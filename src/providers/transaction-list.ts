import type { z } from 'zod';
import type { HttpResult } from './http-call.ts';
import { readJson } from './read-json.ts';

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

/** A page whose answer is not readable as a whole. */
export const notListed = (message: string) => ({ kind: 'not-listed', message }) as const;

type NotListed = ReturnType<typeof notListed>;

/** A page of a list as the provider answers it. */
export type FoundPage<Found> =
  | { readonly kind: 'page'; readonly found: readonly Found[]; readonly isLast: boolean }
  | NotListed;

/** Reads an answer that is one page; the last one has fewer than a full page, or nothing. */
export function readFoundPage<Found>(
  answer: HttpResult,
  schema: z.ZodType<readonly Found[]>,
  pageSize: number,
): FoundPage<Found> {
  if (answer.kind !== 'answered') return notListed(answer.message);
  const found = answer.status === 200 ? readJson(schema, answer.body) : undefined;
  return found
    ? { kind: 'page', found, isLast: found.length < pageSize }
    : notListed(`HTTP status ${answer.status}, without a readable list.`);
}

/** Reads page after page, each after the one before was taken, up to the last one or `maximum` pages. */
export async function* pagesOf<Page extends { readonly kind: 'page'; readonly isLast: boolean }>(
  maximum: number,
  pageAt: (index: number) => Promise<Page | NotListed>,
): AsyncGenerator<Page | NotListed> {
  for (let index = 0; index < maximum; index += 1) {
    const page = await pageAt(index);
    yield page;
    if (page.kind === 'not-listed' || page.isLast) return;
  }
  yield notListed('The provider lists too many transactions.');
}

/** At most this many pages of one list are read. */
const MAXIMUM_PAGES = 2_000;

/** Reads all pages; an incomplete list is none, because what is missing would be lost. */
export async function listAll<Found>(
  pageAt: (index: number) => Promise<FoundPage<Found>>,
  transactionsOf: (found: readonly Found[]) => readonly ProviderTransaction[],
): Promise<TransactionList> {
  const transactions: ProviderTransaction[] = [];
  for await (const page of pagesOf(MAXIMUM_PAGES, pageAt)) {
    if (page.kind === 'not-listed') return page;
    transactions.push(...transactionsOf(page.found));
  }
  return { kind: 'listed', transactions };
}
