import type { Guide } from '../guides.ts';
import { renderMarkdown, type SiteAddresses, sectionsOf } from '../markdown.ts';
import { DOCS_PATH, type DocsPage } from '../page.ts';

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
