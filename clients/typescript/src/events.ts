/** One answer of what is read by cursor, such as the log of events. */
interface EventPage {
  /** Null before the first. */
  readonly next: string | null;
  readonly hasMore: boolean;
}

/** Reads page after page until there is no more; `next` of the last page is where to go on. */
export async function* eventPages<
  Query extends { readonly after?: string | undefined },
  Page extends EventPage,
>(read: (query: Query) => Promise<Page>, query: Query): AsyncGenerator<Page, void> {
  let page: Page = await read(query);
  yield page;
  while (page.hasMore && page.next !== null) {
    page = await read({ ...query, after: page.next });
    yield page;
  }
}
