import type { Html } from '../rendering/html.ts';

/** Where the site is. */
export const DOCS_PATH = '/docs';

/** A page of the site. Its content is made at the first request: most pages are never read. */
export interface DocsPage {
  /** Below `DOCS_PATH`; empty for the first page. */
  readonly path: string;
  readonly title: string;
  /** One sentence, in Markdown, of what is there. */
  readonly summary: string;
  write(): WrittenPage | Promise<WrittenPage>;
  /** What a search finds on it. */
  entries(): readonly SearchEntry[];
}

/** A page for programs and for people. */
interface WrittenPage {
  readonly markdown: string;
  readonly content: Html;
}

/** A place that a search can lead to. */
export interface SearchEntry {
  readonly title: string;
  /** With its base and anchor. */
  readonly url: string;
  readonly text: string;
  /** Names that lead here and are not shown. */
  readonly keywords?: string;
}

/** The address of a page as Markdown. */
export const markdownPath = ({ path }: Pick<DocsPage, 'path'>): string =>
  `${DOCS_PATH}${path || '/index'}.md`;
