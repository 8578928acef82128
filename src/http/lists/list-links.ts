import type { ListMeta } from '../envelope.ts';

/** The meta of a list (specification 2.2). */
export const listMeta = (
  { page, limit }: { readonly page: number; readonly limit: number },
  totalItems: number,
  sortBy?: ListMeta['sortBy'],
): ListMeta => ({
  itemsPerPage: limit,
  totalItems,
  currentPage: page,
  totalPages: Math.ceil(totalItems / limit),
  ...(sortBy ? { sortBy } : {}),
});

/** A query parameter as it was sent. */
export type Parameter = readonly [name: string, value: string];

/**
 * The links of a list: `current` always, the others where such a page exists. `address` comes from
 * the configured public address, never from the request's Host header. `parameters` are those of
 * the caller besides page, limit and order.
 */
export function listLinks(
  address: string,
  meta: ListMeta,
  parameters: readonly Parameter[] = [],
): Readonly<Record<string, string>> {
  const { currentPage, totalPages, itemsPerPage, sortBy = [] } = meta;
  const rest = encode([
    ['limit', String(itemsPerPage)],
    ...sortBy.map(([column, direction]): Parameter => ['sortBy', `${column}:${direction}`]),
    ...parameters,
  ]);
  const linkTo = (page: number) => `${address}?page=${page}&${rest}`;
  return {
    ...(currentPage > 1 ? { first: linkTo(1), previous: linkTo(currentPage - 1) } : {}),
    current: linkTo(currentPage),
    ...(currentPage < totalPages
      ? { next: linkTo(currentPage + 1), last: linkTo(totalPages) }
      : {}),
  };
}

/** Encodes a query; characters that need no encoding stay readable: `sortBy=id:DESC`. */
const encode = (parameters: readonly Parameter[]): string =>
  new URLSearchParams(parameters.map(([name, value]): [string, string] => [name, value]))
    .toString()
    .replaceAll('%3A', ':')
    .replaceAll('%24', '$')
    .replaceAll('%2C', ',');
