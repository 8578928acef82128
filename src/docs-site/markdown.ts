import { Marked } from 'marked';
import { type Html, html, ownHtml } from '../rendering/html.ts';
import { DOCS_PATH, type SearchEntry } from './page.ts';

/** The addresses of a deployment, in place of those that pages are written with. */
export interface SiteAddresses {
  readonly publicUrl: string;
  readonly sandboxUrl: string | undefined;
}

const WRITTEN_SERVICE = 'http://localhost:3000';
const WRITTEN_SANDBOX = 'http://localhost:3001';

/** The anchor of a heading, as GitHub makes it. */
export const headingAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replaceAll(' ', '-');

/**
 * Our own Markdown as HTML: headings with anchors, links between guides as the site has them. A link that
 * leads nowhere on the site, so that `linkOf` has no address for it, is written as text.
 */
export function renderMarkdown(
  markdown: string,
  addresses: SiteAddresses,
  linkOf: (href: string) => string | undefined = siteLink,
): Html {
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const level = String(depth);
        return `<h${level} id="${headingAnchor(text)}">${this.parser.parseInline(tokens)}</h${level}>\n`;
      },
      link({ href, tokens }) {
        const text = ownHtml(this.parser.parseInline(tokens));
        const address = linkOf(href);
        return (address === undefined ? text : html`<a href="${address}">${text}</a>`).toString();
      },
      code({ text, lang = '' }) {
        return html`<div class="copyable"><pre class="code" tabindex="0" data-language="${lang}"><code>${text}</code></pre></div>`.toString();
      },
      table(token) {
        const head = token.header.map(
          (cell) => html`<th scope="col">${ownHtml(this.parser.parseInline(cell.tokens))}</th>`,
        );
        const rows = token.rows.map(
          (row) =>
            html`<tr>${row.map((cell) => html`<td>${ownHtml(this.parser.parseInline(cell.tokens))}</td>`)}</tr>`,
        );
        return html`<div class="wide" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${rows}</tbody></table></div>`.toString();
      },
      // Whatever looks like markup is text: pages are written without it.
      html({ text }) {
        return html`${text}`.toString();
      },
    },
  });
  const own = markdown
    .replaceAll(WRITTEN_SERVICE, addresses.publicUrl)
    .replaceAll(WRITTEN_SANDBOX, addresses.sandboxUrl ?? WRITTEN_SANDBOX);
  return ownHtml(marked.parse(own, { async: false }));
}

/** `other-guide.md#part` leads to the page of that guide. */
const siteLink = (href: string): string =>
  href.replace(/^([\w-]+)\.md(#.*)?$/, `${DOCS_PATH}/guides/$1$2`);

/** The sections of a page, for the search. */
export function sectionsOf(markdown: string, url: string): SearchEntry[] {
  const [head = '', ...sections] = markdown.split(/^## /m);
  const [, title = '', text = ''] = /^# (.+)\n([\s\S]*)$/.exec(head) ?? [];
  return [
    { title, url, text },
    ...sections.map((section) => {
      const [heading = '', ...lines] = section.split('\n');
      return {
        title: `${title}: ${heading}`,
        url: `${url}#${headingAnchor(heading)}`,
        text: lines.join('\n'),
      };
    }),
  ];
}
