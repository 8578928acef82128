import type { z } from 'zod';
import type { HttpResult } from '../../http-call.ts';
import { type FoundPage, readFoundPage } from '../../transaction-list.ts';

/** Answers are limited in size; a transaction has two kilobytes. */
const PAGE_SIZE = 50;
/** The longest time that one list may span. A day on which the clocks change is longer. */
const WINDOW_MS = 24 * 3_600_000;

/** Calls a path of the provider's API. */
export type DtOneGet = (path: string) => Promise<HttpResult>;

/** A time that one list may span, in milliseconds since 1970: both ends belong to it. */
interface Window {
  readonly from: number;
  readonly to: number;
}

/** From a moment, up to but not including another one. */
export function* windowsOf(from: Date, to: Date): Generator<Window> {
  for (let begin = from.getTime(); begin < to.getTime(); begin += WINDOW_MS)
    yield { from: begin, to: Math.min(begin + WINDOW_MS, to.getTime()) - 1 };
}

/** Reads a page of our transactions, by `GET /transactions` (providers.md 3.2); pages begin at 1. */
export async function readTransactionsPage<Found>(
  get: DtOneGet,
  { from, to }: Window,
  index: number,
  schema: z.ZodType<readonly Found[]>,
): Promise<FoundPage<Found>> {
  const query = new URLSearchParams({
    from_date: new Date(from).toISOString(),
    to_date: new Date(to).toISOString(),
    page: String(index + 1),
    per_page: String(PAGE_SIZE),
  });
  return readFoundPage(await get(`transactions?${query}`), schema, PAGE_SIZE);
}
