import { readFileSync } from 'node:fs';
import { html } from '../../rendering/html.ts';
import {
  contentsList,
  type Guide,
  renderMarkdown,
  type SiteAddresses,
  sectionsOf,
  withAddresses,
} from '../markdown.ts';
import { DOCS_PATH, type DocsPage } from '../page.ts';

/** A page that is written in Markdown alone, with the list of its contents where it has several sections. */
export function markdownPage(page: {
  readonly path: string;
  readonly title: string;
  readonly summary: string;
  readonly markdown: () => string;
}): DocsPage {
  const { path, title, summary, markdown } = page;
  return {
    path,
    title,
    summary,
    write() {
      const text = markdown();
      const firstSection = text.search(/^## |$(?![\s\S])/m);
      const [head, rest] = [text.slice(0, firstSection), text.slice(firstSection)];
      return {
        markdown: text,
        content: html`<div class="article"><div class="text">${renderMarkdown(head)}</div>
${contentsList(text)}<div class="text">${renderMarkdown(rest)}</div></div>`,
      };
    },
    entries: () => sectionsOf(markdown(), DOCS_PATH + path),
  };
}

/** What each version changed. */
export const changelogPage: DocsPage = markdownPage({
  path: '/changelog',
  title: 'Changelog',
  summary: 'What each version changed',
  markdown: () => readFileSync(new URL('../../../CHANGELOG.md', import.meta.url), 'utf8'),
});

/** A guide as a page; addresses in it are those of this deployment. */
export const guidePage = ({ markdown, ...guide }: Guide, addresses: SiteAddresses): DocsPage =>
  markdownPage({ ...guide, markdown: () => withAddresses(markdown, addresses) });
