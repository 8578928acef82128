import type { z } from 'zod';
import type { ProviderStatementLine } from '../domain/positions/statement-line.ts';
import { type HttpResult, readOk } from './http-call.ts';

/** A page whose answer is not readable as a whole. */
export const notListed = (message: string) => ({ kind: 'not-listed', message }) as const;

type NotListed = ReturnType<typeof notListed>;

/** A page of a list as the provider answers it. */
export type FoundPage<Found> =
  | { readonly kind: 'page'; readonly found: readonly Found[] }
  | NotListed;

/** Reads an answer that is one page. */
export function readFoundPage<Found>(
  answer: HttpResult,
  schema: z.ZodType<readonly Found[]>,
): FoundPage<Found> {
  if (answer.kind !== 'answered') return notListed(answer.message);
  const found = readOk(schema, answer);
  return found
    ? { kind: 'page', found }
    : notListed(`HTTP status ${answer.status}, without a readable list.`);
}

/** From a moment, up to but not including the end. */
export interface StatementPeriod {
  readonly from: Date;
  readonly to: Date;
}

/** A line of a provider statement. `ignored` took nothing from our account, and is no line. */
export type StatementRow = ProviderStatementLine | 'ignored';

/** A page of a provider statement, or the reason why it could not be read completely. */
export type ProviderStatementPage =
  | {
      readonly kind: 'page';
      readonly rows: readonly StatementRow[];
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

/** Reads an answer that tells our balance, and finds the money in it. */
export function readBalance<Schema extends z.ZodType>(
  answer: HttpResult,
  schema: Schema,
  moneyIn: (found: z.infer<Schema>) => {
    readonly amount?: string | number | null | undefined;
    readonly currency?: string | null | undefined;
  },
): ProviderBalance {
  if (answer.kind !== 'answered') return { kind: 'unknown', message: answer.message };
  const found = readOk(schema, answer);
  const { amount, currency } = found === undefined ? {} : moneyIn(found);
  return amount != null && currency
    ? { kind: 'balance', amount: String(amount), currency }
    : {
        kind: 'unknown',
        message: `HTTP status ${answer.status}, without a readable balance.`,
      };
}

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

/** The number of pages before a page, and of their transactions. */
interface PageBegin {
  readonly index: number;
  readonly offset: number;
}

/** At most this many pages of one provider statement are read. */
const MAXIMUM_PAGES = 20_000;

/**
 * A provider statement page by page, each read after the previous one was taken. `rowsOf` says why a page cannot be
 * read. A provider statement without one of its lines would show a false difference. So only an empty page ends it: a
 * provider may give shorter pages than it was asked for.
 */
export async function* statementPages<Found>(
  pageAt: (begin: PageBegin) => Promise<FoundPage<Found>>,
  rowsOf: (found: readonly Found[]) => readonly StatementRow[] | string,
): AsyncGenerator<ProviderStatementPage> {
  let offset = 0;
  for (let index = 0; index < MAXIMUM_PAGES; index += 1) {
    const page = await pageAt({ index, offset });
    if (page.kind === 'not-listed') return yield page;
    if (page.found.length === 0) return;
    offset += page.found.length;
    const rows = rowsOf(page.found);
    if (typeof rows === 'string') return yield notListed(rows);
    yield { kind: 'page', rows };
  }
  yield notListed('The provider lists too many transactions.');
}
