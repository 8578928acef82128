import { z } from 'zod';
import type { ListMeta } from './envelope.js';

const MAXIMUM_LIMIT = 100;
const MAXIMUM_PAGE = 1_000_000;

const wholeNumber = (maximum: number) =>
  z
    .string()
    .regex(/^[0-9]{1,9}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(1).max(maximum));

/** `page` and `limit` of a list (specification 4.1); more than the maximum limit is the maximum. */
export const listQuery = (defaultLimit: number) =>
  z.object({
    page: wholeNumber(MAXIMUM_PAGE).default(1),
    limit: wholeNumber(999_999_999)
      .transform((limit) => Math.min(limit, MAXIMUM_LIMIT))
      .default(defaultLimit),
  });

export interface Page {
  readonly page: number;
  readonly limit: number;
}

/** Specification 2.2. */
export const listMeta = (
  { page, limit }: Page,
  totalItems: number,
  sortBy: ListMeta['sortBy'],
): ListMeta => ({
  itemsPerPage: limit,
  totalItems,
  currentPage: page,
  totalPages: Math.ceil(totalItems / limit),
  ...(sortBy ? { sortBy } : {}),
});

/**
 * The links of a list: `current` always, the others where they lead anywhere. `address` is built from
 * the configured public address, never from the request's Host header.
 */
export function listLinks(address: string, meta: ListMeta): Readonly<Record<string, string>> {
  const { currentPage, totalPages, itemsPerPage } = meta;
  const linkTo = (page: number) => {
    const query = new URLSearchParams({ page: String(page), limit: String(itemsPerPage) });
    for (const [column, direction] of meta.sortBy ?? [])
      query.append('sortBy', `${column}:${direction}`);
    return `${address}?${query}`;
  };
  return {
    ...(currentPage > 1 ? { first: linkTo(1), previous: linkTo(currentPage - 1) } : {}),
    current: linkTo(currentPage),
    ...(currentPage < totalPages
      ? { next: linkTo(currentPage + 1), last: linkTo(totalPages) }
      : {}),
  };
}
