import { readFileSync } from 'node:fs';
import { Marked, type Token, type Tokens } from 'marked';
import { once } from '../http/once.ts';
import { type Html, html, ownHtml } from '../rendering/html.ts';
import { DOCS_PATH, type SearchEntry } from './page.ts';

/** The languages of programs, by the word of their code blocks. */
const LANGUAGES: Readonly<Record<string, string>> = {
  sh: 'Shell',
  js: 'Node.js',
  ts: 'TypeScript',
  python: 'Python',
  java: 'Java',
  php: 'PHP',
  csharp: 'C#',
  go: 'Go',
};

/** The rendered text of one language. */
interface Panel {
  readonly name: string;
  readonly tokens: Token[];
}

/**
 * Puts programs that follow one another in different languages into one token of the type `tabs`. A program is
 * its code block, with the paragraph before it that begins with the language and ends with a colon.
 */
function withTabs(tokens: readonly Token[]): Token[] {
  const found: Token[] = [];
  for (let place = 0; place < tokens.length; ) {
    const run = panelsFrom(tokens, place);
    if (run.panels.length > 1) found.push({ type: 'tabs', raw: '', panels: run.panels });
    else found.push(...tokens.slice(place, run.end));
    place = run.end;
  }
  return found;
}

/** The panels that begin at a place, and the place after them; at least one token is passed. */
function panelsFrom(
  tokens: readonly Token[],
  start: number,
): { readonly panels: readonly Panel[]; readonly end: number } {
  const panels: Panel[] = [];
  let end = start;
  for (let place = start; ; place = afterSpaces(tokens, end)) {
    const read = panelAt(tokens, place);
    if (!read || panels.some(({ name }) => name === read.panel.name)) break;
    panels.push(read.panel);
    end = read.end;
  }
  return { panels, end: Math.max(end, start + 1) };
}

function panelAt(
  tokens: readonly Token[],
  place: number,
): { readonly panel: Panel; readonly end: number } | undefined {
  const token = tokens[place];
  const own = languageOf(token);
  if (token && own) return { panel: { name: own, tokens: [token] }, end: place + 1 };
  if (token?.type !== 'paragraph' || !token.raw.trimEnd().endsWith(':')) return undefined;
  const next = afterSpaces(tokens, place + 1);
  const code = tokens[next];
  const name = languageOf(code);
  if (!code || !name || !token.raw.startsWith(name)) return undefined;
  // A paragraph that is the name alone says what the tab says.
  const words = token.raw.trim() === `${name}:` ? [] : [token];
  return { panel: { name, tokens: [...words, code] }, end: next + 1 };
}

const languageOf = (token: Token | undefined): string | undefined =>
  token?.type === 'code' ? LANGUAGES[(token as Tokens.Code).lang ?? ''] : undefined;

function afterSpaces(tokens: readonly Token[], start: number): number {
  let place = start;
  while (tokens[place]?.type === 'space') place += 1;
  return place;
}

/** The addresses of a deployment, in place of those that pages are written with. */
export interface SiteAddresses {
  readonly publicUrl: string;
  readonly sandboxUrl?: string | undefined;
}

const WRITTEN_SERVICE = 'http://localhost:3000';
const WRITTEN_SANDBOX = 'http://localhost:3001';

/** A text with the addresses of this deployment. */
export const withAddresses = (markdown: string, addresses: SiteAddresses): string =>
  markdown
    .replaceAll(WRITTEN_SERVICE, addresses.publicUrl)
    .replaceAll(WRITTEN_SANDBOX, addresses.sandboxUrl ?? WRITTEN_SANDBOX);

/** The anchor of a heading, as GitHub makes it. */
export const headingAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replaceAll(' ', '-');

/** A text that is no Markdown but for its `code`, as Markdown. */
export const asMarkdown = (text: string): string =>
  text
    .split('`')
    .map((part, place) => (place % 2 === 1 ? `\`${part}\`` : part.replaceAll(/[*_[\]<]/g, '\\$&')))
    .join('');

/** A row of a table; a line in a cell would end it, and a bar the cell. */
const markdownRow = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('\n', ' ').replaceAll('|', '\\|')).join(' | ')} |`;

export const markdownTable = (
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string =>
  [markdownRow(head), markdownRow(head.map(() => '---')), ...rows.map(markdownRow)].join('\n');

/**
 * Our own Markdown as HTML: headings with anchors, links between guides as the site has them. A link that
 * leads nowhere on the site, so that `linkOf` has no address for it, is written as text.
 */
export function renderMarkdown(
  markdown: string,
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
        return table(token, (tokens) =>
          ownHtml(withWholeWords(this.parser.parseInline(tokens))),
        ).toString();
      },
      // Whatever looks like markup is text: pages are written without it.
      html({ text }) {
        return html`${text}`.toString();
      },
    },
    extensions: [
      {
        name: 'tabs',
        renderer({ panels }) {
          return tabs(panels, (tokens) => ownHtml(this.parser.parse(tokens))).toString();
        },
      },
    ],
  });
  return ownHtml(marked.parser(withTabs(marked.lexer(markdown))));
}

/**
 * A table whose rows become cards where there is little room: each cell then shows its heading, and is one
 * box, so that text and code in it flow together. The roles are lost with the form of a table.
 */
const table = ({ header, rows }: Tokens.Table, inline: (tokens: Token[]) => Html): Html =>
  html`<div class="wide"><table role="table"><thead role="rowgroup"><tr role="row">${header.map(
    ({ tokens }) => html`<th role="columnheader" scope="col">${inline(tokens)}</th>`,
  )}</tr></thead><tbody role="rowgroup">${rows.map(
    (row) =>
      html`<tr role="row">${row.map(
        ({ tokens }, place) =>
          html`<td role="cell" data-label="${plain(header[place]?.text)}"><div>${inline(tokens)}</div></td>`,
      )}</tr>`,
  )}</tbody></table></div>`;

/** Browsers break code at its hyphens and slashes: its words are marked. */
const withWholeWords = (cell: string): string =>
  cell.replaceAll(/(?<=<code>)[^<]+/g, (code) =>
    code.replaceAll(/\S+/g, '<span class="whole">$&</span>'),
  );

const plain = (text = ''): string => text.replaceAll(/[`*]/g, '');

/** One text in several languages: a script shows one of them, and without it they follow one another. */
const tabs = (
  panels: readonly { readonly name: string; readonly tokens: Token[] }[],
  block: (tokens: Token[]) => Html,
): Html =>
  html`<div class="tabs" data-tabs>${panels.map(
    ({ name, tokens }) =>
      html`<div class="tab" data-tab="${name}"><p class="tab-name">${name}</p>${block(tokens)}</div>`,
  )}</div>`;

/** `other-guide.md#part` leads to the page of that guide. */
const siteLink = (href: string): string =>
  href.replace(/^([\w-]+)\.md(#.*)?$/, `${DOCS_PATH}/guides/$1$2`);

/** The sections of a page, for the search and its list of contents. */
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

/** The sections of a page, each with its link; nothing for a page of few. */
export function contentsList(markdown: string): Html | undefined {
  const [page, ...sections] = sectionsOf(markdown, '');
  if (!page || sections.length <= 3) return undefined;
  // A section is named after its page: "Page: section".
  const nameOf = (title: string) => title.slice(page.title.length + 2).replaceAll('`', '');
  return html`<nav class="contents" aria-label="On this page"><p class="menu-group">On this page</p>
<ul>${sections.map(({ title, url }) => html`<li><a href="${url}">${nameOf(title)}</a></li>`)}</ul></nav>`;
}

const FOLDER = new URL('../../docs/guides/integrate/', import.meta.url);

/** The guides in the order of the menu, by their file names in `docs/guides/integrate`. */
const ORDER = [
  'first-call-partner',
  'first-call-merchant',
  'use-a-client',
  'sign-requests',
  'repeat-safely',
  'handle-errors',
  'test-your-integration',
  'order-in-bulk',
  'follow-a-top-up',
  'follow-a-voucher',
  'follow-events',
  'receive-webhooks',
  'go-live',
  'rotate-keys',
  'limits',
  'compatibility',
] as const;

/** A guide as it is written. */
export interface Guide {
  /** Of its page, below the base of the site. */
  readonly path: string;
  readonly title: string;
  /** The sentence that says what the reader gets. */
  readonly summary: string;
  readonly markdown: string;
}

function readGuide(name: string): Guide {
  const markdown = readFileSync(new URL(`${name}.md`, FOLDER), 'utf8');
  const [, title, summary] = /^# (.+)\n\n((?:.+\n)+)/.exec(markdown) ?? [];
  if (!title || !summary)
    throw new Error(`${name}.md must begin with a title and a paragraph of what the reader gets`);
  return {
    path: `/guides/${name}`,
    title,
    summary: summary.replaceAll('\n', ' ').trim(),
    markdown,
  };
}

export const guides = once((): readonly Guide[] => ORDER.map(readGuide));
