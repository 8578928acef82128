import type { PlacementKind } from '../domain/positions/placement.ts';
import {
  type FoundPage,
  notListed,
  type ProviderTransaction,
  pagesOf,
} from './transaction-list.ts';

/** A line of a provider's statement. The comparison needs no party; the recovery does. */
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

/** From a moment, up to but not including another one. */
export interface StatementPeriod {
  readonly from: Date;
  readonly to: Date;
}

/** A page of a statement, or the reason why the statement could not be read completely. */
export type ProviderStatementPage =
  | {
      readonly kind: 'page';
      readonly lines: readonly ProviderStatementLine[];
      /** Transactions of the page that took nothing from our account, and are no lines. */
      readonly ignored: number;
    }
  | { readonly kind: 'not-listed'; readonly message: string };

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
  /** What we can still spend. */
  balance?(): Promise<ProviderBalance>;
  /**
   * Asks whether the service is available, or logs in where the provider tells no balance; the reason
   * where not.
   */
  check?(): Promise<string | undefined>;
}

/** At most this many pages of one statement are read. */
const MAXIMUM_PAGES = 20_000;

/**
 * A statement page by page. `linesOf` says why a page cannot be read, where it cannot: a statement
 * without one of its lines would show a break that is none.
 */
export async function* statementPages<Found>(
  pageAt: (index: number) => Promise<FoundPage<Found>>,
  linesOf: (found: readonly Found[]) => readonly (ProviderStatementLine | 'ignored')[] | string,
): AsyncGenerator<ProviderStatementPage> {
  for await (const page of pagesOf(MAXIMUM_PAGES, pageAt)) {
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
