import { type Html, html } from '../../process/html.js';

/** What a page of rows is part of. */
export interface Paged {
  /** The path of the page. */
  readonly path: string;
  /** What else stands in its address. */
  readonly values: Readonly<Record<string, string>>;
  /** From 1. */
  readonly page: number;
  readonly limit: number;
  readonly totalItems: number;
}

/** An address with its parameters; those that are empty are left out. */
export function addressOf(path: string, values: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== ''));
  return query.size === 0 ? path : `${path}?${query}`;
}

/** Which rows are shown, and the ways to those before and after. */
export function paging({ path, values, page, limit, totalItems }: Paged): Html | undefined {
  if (totalItems === 0) return undefined;
  const first = (page - 1) * limit + 1;
  const last = Math.min(page * limit, totalItems);
  const link = (target: number, label: string) =>
    html`<a class="button secondary" href="${addressOf(path, { ...values, page: String(target) })}"
>${label}</a>`;
  const shown = `${grouped(first)}–${grouped(last)} of ${grouped(totalItems)}`;
  return html`<nav class="paging" aria-label="Pages"><p class="quiet">${shown}</p>
<p class="actions">${page > 1 && link(page - 1, 'Previous')}
${last < totalItems && link(page + 1, 'Next')}</p></nav>`;
}

const grouped = (count: number): string => count.toLocaleString('en');

/** The number of the page in an address; undefined where it is none. */
export function pageNumber(query: URLSearchParams): number | undefined {
  const text = query.get('page') ?? '1';
  return /^[1-9][0-9]{0,5}$/.test(text) ? Number(text) : undefined;
}
