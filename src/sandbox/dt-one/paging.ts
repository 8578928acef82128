import type { Context } from 'koa';

const longestPage = 100;
const defaultPage = 50;

/** The requested page of a list, with DT One's paging headers. */
export function pageOf<Item>(ctx: Context, items: readonly Item[]): Item[] {
  const perPage = Math.min(numberOf(ctx.query.per_page, defaultPage), longestPage);
  const pages = Math.max(1, Math.ceil(items.length / perPage));
  const page = numberOf(ctx.query.page, 1);
  ctx.set({
    'X-Total': String(items.length),
    'X-Total-Pages': String(pages),
    'X-Per-Page': String(perPage),
    'X-Page': String(page),
    'X-Next-Page': page < pages ? String(page + 1) : '',
    'X-Prev-Page': page > 1 ? String(page - 1) : '',
  });
  return items.slice((page - 1) * perPage, page * perPage);
}

function numberOf(value: unknown, otherwise: number): number {
  return typeof value === 'string' && /^[1-9]\d{0,8}$/.test(value) ? Number(value) : otherwise;
}
