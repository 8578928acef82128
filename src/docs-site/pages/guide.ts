import type { Guide } from '../guides.js';
import { renderMarkdown, type SiteAddresses, sectionsOf } from '../markdown.js';
import { DOCS_PATH, type DocsPage } from '../page.js';

/** A guide as a page; addresses in it are those of this deployment. */
export const guidePage = (
  { path, title, markdown }: Guide,
  addresses: SiteAddresses,
): DocsPage => ({
  path,
  title,
  content: renderMarkdown(markdown, addresses),
  entries: sectionsOf(markdown, DOCS_PATH + path),
});
