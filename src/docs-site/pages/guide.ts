import type { Guide } from '../guides.ts';
import { type SiteAddresses, withAddresses } from '../markdown.ts';
import type { DocsPage } from '../page.ts';
import { markdownPage } from './markdown-page.ts';

/** A guide as a page; addresses in it are those of this deployment. */
export const guidePage = ({ markdown, ...guide }: Guide, addresses: SiteAddresses): DocsPage =>
  markdownPage({ ...guide, markdown: () => withAddresses(markdown, addresses) });
