import { html } from '../../rendering/html.ts';
import { contentsList } from '../contents-list.ts';
import { renderMarkdown, sectionsOf } from '../markdown.ts';
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
