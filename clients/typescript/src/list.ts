/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly meta: {
    readonly itemsPerPage: number;
    readonly totalItems: number;
    readonly currentPage: number;
    readonly totalPages: number;
  };
  readonly links: { readonly current: string; readonly next?: string };
}

/** Reads the page of a query; undefined where the list has become shorter than that. */
export type ReadPage<Item> = (query: string, isFirst: boolean) => Promise<Page<Item> | undefined>;

/** A list: `for await (const item of list)` reads page after page, as they are needed. */
export class List<Item> implements AsyncIterable<Item> {
  readonly #query: string;
  readonly #identifier: string;
  readonly #readPage: ReadPage<Item>;

  constructor(query: string, identifier: string, readPage: ReadPage<Item>) {
    this.#query = query;
    this.#identifier = identifier;
    this.#readPage = readPage;
  }

  /** The pages, one after the other, from the page of the query on. */
  async *pages(): AsyncGenerator<Page<Item>, void> {
    let query: string | undefined = this.#query;
    for (let isFirst = true; query !== undefined; isFirst = false) {
      const page: Page<Item> | undefined = await this.#readPage(query, isFirst);
      if (!page) return;
      yield page;
      // Only the query of the link: the token goes to no other address than the client's.
      query = page.links.next === undefined ? undefined : new URL(page.links.next).search;
    }
  }

  /** The page of the query, with the size of the whole list in `meta`. */
  async firstPage(): Promise<Page<Item>> {
    for await (const page of this.pages()) return page;
    throw new Error('A list has a first page');
  }

  /** Each item once, although new ones push others to the next page in the meantime. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void> {
    const seen = new Set<unknown>();
    for await (const { items } of this.pages()) {
      for (const item of items) {
        const identifier = (item as Readonly<Record<string, unknown>>)[this.#identifier];
        if (!seen.has(identifier)) yield item;
        seen.add(identifier);
      }
    }
  }
}

/** The text of a query; a parameter with several values is repeated. */
export function queryText(query: object): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, String(one)]),
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}
