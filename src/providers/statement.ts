import type { z } from 'zod';
import type { PlacementKind } from '../domain/positions/placement.ts';
import { type HttpResult, readJson } from './http-call.ts';

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
  /** Our text for people at the sending. */
  readonly description: string | null;
  /** The provider's id of a package. */
  readonly productId: string | null;
  readonly at: Date;
}

/** All transactions of a time, or the reason why they could not be listed completely. */
export type TransactionList =
  | { readonly kind: 'listed'; readonly transactions: readonly ProviderTransaction[] }
  | NotListed;

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

/**
 * Reads page after page, each after the previous page was taken, up to the last page or `maximum`
 * pages.
 */
async function* pagesOf<Page extends { readonly kind: 'page'; readonly isLast: boolean }>(
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
const MAXIMUM_LIST_PAGES = 2_000;

/** Reads all pages; an incomplete list is none, because what is missing would be lost. */
export async function listAll<Found>(
  pageAt: (index: number) => Promise<FoundPage<Found>>,
  transactionsOf: (found: readonly Found[]) => readonly ProviderTransaction[],
): Promise<TransactionList> {
  const transactions: ProviderTransaction[] = [];
  for await (const page of pagesOf(MAXIMUM_LIST_PAGES, pageAt)) {
    if (page.kind === 'not-listed') return page;
    transactions.push(...transactionsOf(page.found));
  }
  return { kind: 'listed', transactions };
}

/** A line of a provider statement. The comparison needs no party; the recovery does. */
export interface ProviderStatementLine
  extends Pick<ProviderTransaction, 'reference' | 'status' | 'amount' | 'currency' | 'at'> {
  readonly kind: PlacementKind;
  /** Of another type than what we order, such as a transfer. */
  readonly isOther?: true;
  /** Identifies the transaction at the provider. */
  readonly providerReference: string;
  /** Of a reversal without a reference of ours: the provider's reference of what was reversed. */
  readonly originalReference?: string | undefined;
  /** Decimal string; null where the provider says none. */
  readonly fee: string | null;
  /** ISO 4217 */
  readonly feeCurrency: string | null;
  /** Who received it, where a file says it: personal data. */
  readonly party?: string | null;
}

/** From a moment, up to but not including the end. */
export interface StatementPeriod {
  readonly from: Date;
  readonly to: Date;
}

/** A page of a provider statement, or the reason why it could not be read completely. */
export type ProviderStatementPage =
  | {
      readonly kind: 'page';
      readonly lines: readonly ProviderStatementLine[];
      /** Transactions of the page that took nothing from our account, and are no lines. */
      readonly ignored: number;
    }
  | NotListed;

/** Our balance at a provider. */
export type ProviderBalance =
  | {
      readonly kind: 'balance';
      /** Decimal string: what we can spend. */
      readonly amount: string;
      /** ISO 4217 */
      readonly currency: string;
    }
  | { readonly kind: 'unknown'; readonly message: string };

/** What a provider says of our account, each absent where it cannot. */
export interface ProviderAccount {
  /** The transactions of a period, page by page; after `not-listed` there is no further page. */
  listStatement?(period: StatementPeriod): AsyncIterable<ProviderStatementPage>;
  /** The amount that we can still spend. */
  balance?(): Promise<ProviderBalance>;
  /**
   * Asks whether the service is available, or logs in where the provider tells no balance; the reason
   * where not.
   */
  check?(): Promise<string | undefined>;
}

/** At most this many pages of one provider statement are read. */
const MAXIMUM_STATEMENT_PAGES = 20_000;

/**
 * A provider statement page by page. `linesOf` says why a page cannot be read. A provider statement
 * without one of its lines would show a false difference.
 */
export async function* statementPages<Found>(
  pageAt: (index: number) => Promise<FoundPage<Found>>,
  linesOf: (found: readonly Found[]) => readonly (ProviderStatementLine | 'ignored')[] | string,
): AsyncGenerator<ProviderStatementPage> {
  for await (const page of pagesOf(MAXIMUM_STATEMENT_PAGES, pageAt)) {
    if (page.kind === 'not-listed') {
      yield page;
      return;
    }
    const lines = linesOf(page.found);
    if (typeof lines === 'string') {
      yield notListed(lines);
      return;
    }
    const kept = lines.filter((line) => line !== 'ignored');
    yield { kind: 'page', lines: kept, ignored: lines.length - kept.length };
  }
}
