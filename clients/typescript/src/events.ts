import type { CallOptions } from './settings.ts';

/** One answer of what is read by cursor, such as the log of events. */
interface EventPage {
  /** Null before the first. */
  readonly next: string | null;
  readonly hasMore: boolean;
}

/** The methods of what is read by cursor. */
export const byCursor = <
  Query extends { readonly after?: string | undefined },
  Page extends EventPage,
>(
  read: (query?: Query, options?: CallOptions) => Promise<Page>,
) => ({
  read,
  /** Page after page until there is no more; keep `next` of each page that you have handled. */
  async *pages(query?: Query, options?: CallOptions): AsyncGenerator<Page, void> {
    let page = await read(query, options);
    yield page;
    while (page.hasMore && page.next !== null) {
      page = await read({ ...query, after: page.next } as Query, options);
      yield page;
    }
  },
});
