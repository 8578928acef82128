import type { z } from 'zod';
import type { HttpResult } from '../../http-call.ts';
import { type FoundPage, readFoundPage } from '../../transaction-list.ts';

/** Answers are limited in size; a transaction has about a kilobyte. */
const PAGE_SIZE = 100;

/** Calls a path of the provider's API. */
export type GsmaGet = (path: string, deadline: AbortSignal) => Promise<HttpResult>;

/** Our account at the provider. */
export interface AccountSettings {
  readonly account: string;
  /** Other identifiers by which the provider names it in its lists. */
  readonly accountAliases?: readonly string[];
  readonly timeoutSeconds: number;
}

/** The path of our account, without a trailing slash. */
export const accountPath = (account: string): string =>
  `accounts/accountid/${encodeURIComponent(account)}`;

/**
 * Reads a page of the transactions of our account between two moments, both included, by
 * `GET /accounts/accountid/{account}/transactions` (providers.md 3.1).
 */
export async function readTransactionsPage<Found>(
  get: GsmaGet,
  { account, timeoutSeconds }: AccountSettings,
  { from, to, index }: { readonly from: Date; readonly to: Date; readonly index: number },
  schema: z.ZodType<readonly Found[]>,
): Promise<FoundPage<Found>> {
  const query = new URLSearchParams({
    limit: String(PAGE_SIZE),
    offset: String(index * PAGE_SIZE),
    fromDateTime: from.toISOString(),
    toDateTime: to.toISOString(),
  });
  const path = `${accountPath(account)}/transactions?${query}`;
  const answer = await get(path, AbortSignal.timeout(timeoutSeconds * 1_000));
  return readFoundPage(answer, schema, PAGE_SIZE);
}
