import { type Html, html } from '../rendering/html.ts';
import { sectionsOf } from './markdown.ts';

/** The sections of a page, each with its link; nothing for a page of few. */
export function contentsList(markdown: string): Html | undefined {
  const [page, ...sections] = sectionsOf(markdown, '');
  if (!page || sections.length <= 3) return undefined;
  // A section is named after its page: "Page: section".
  const nameOf = (title: string) => title.slice(page.title.length + 2).replaceAll('`', '');
  return html`<nav class="contents" aria-label="On this page"><p class="menu-group">On this page</p>
<ul>${sections.map(({ title, url }) => html`<li><a href="${url}">${nameOf(title)}</a></li>`)}</ul></nav>`;
}
