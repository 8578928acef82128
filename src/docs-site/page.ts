import type { Html } from '../rendering/html.ts';

/** Where the site is. */
export const DOCS_PATH = '/docs';

/** A page of the site: made once, at the start, since it changes with a new version only. */
export interface DocsPage {
  /** Below `DOCS_PATH`; empty for the first page. */
  readonly path: string;
  readonly title: string;
  readonly content: Html;
  /** What a search finds on it. */
  readonly entries: readonly SearchEntry[];
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
