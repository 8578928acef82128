import { type Html, html, phrase } from '../../rendering/html.ts';
import { countText } from '../language/language.ts';

/** One page of a list. */
export interface Paged {
  /** The path of the page. */
  readonly path: string;
  /** The other parameters of its address. */
  readonly values: Readonly<Record<string, string>>;
  /** From 1. */
  readonly page: number;
  readonly limit: number;
  readonly totalItems: number;
  /** Whether there may be more: only so many were counted. */
  readonly isAtLeast?: boolean;
  /** Rows that pages reach; all by default. */
  readonly reachedItems?: number;
}

/** An address with its parameters, without empty ones. */
export function listAddress(path: string, values: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== ''));
  return query.size === 0 ? path : `${path}?${query}`;
}

/** The range of shown rows, and links to the previous and next page. */
export function paging({
  path,
  values,
  page,
  limit,
  totalItems,
  isAtLeast = false,
  reachedItems,
}: Paged): Html | undefined {
  if (totalItems === 0) return undefined;
  const first = (page - 1) * limit + 1;
  const last = Math.min(page * limit, totalItems);
  const total = countText(totalItems) + (isAtLeast ? '+' : '');
  const link = (target: number, label: string) =>
    html`<a class="button secondary" href="${listAddress(path, { ...values, page: String(target) })}"
>${phrase(label)}</a>`;
  return html`<nav class="paging" aria-label="Pages"><p class="quiet">${countText(first)}–${countText(last)} of ${total}</p>
<p class="actions">${page > 1 && link(page - 1, 'Previous')}
${last < Math.min(totalItems, reachedItems ?? totalItems) && link(page + 1, 'Next')}</p></nav>`;
}

/** The page number of an address; undefined for invalid text. */
export function pageNumber(query: URLSearchParams): number | undefined {
  const text = query.get('page') ?? '1';
  return /^[1-9][0-9]{0,5}$/.test(text) ? Number(text) : undefined;
}
