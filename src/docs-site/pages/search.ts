import { type Html, html } from '../../rendering/html.ts';
import type { SearchEntry } from '../page.ts';

const MAXIMUM_FOUND = 30;
const MAXIMUM_QUERY = 100;
const EXCERPT = 160;

/** What a search found: the places that hold each of its words, those with them in the title first. */
export function searchResults(entries: readonly SearchEntry[], query: string): Html {
  const words = query.slice(0, MAXIMUM_QUERY).toLowerCase().split(/\s+/).filter(Boolean);
  const found = entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, MAXIMUM_FOUND);
  return html`<h1>Search</h1>
<p role="status">${found.length === 0 ? `Nothing found for “${query}”.` : `${found.length} found for “${query}”.`}</p>
<ul class="found">${found.map(
    ({ entry }) => html`<li><a href="${entry.url}">${entry.title}</a>
<p class="quiet">${excerpt(entry.text, words)}</p></li>`,
  )}</ul>`;
}

function scoreOf({ title, text, keywords = '' }: SearchEntry, words: readonly string[]): number {
  const [inTitle, inText] = [title.toLowerCase(), `${text} ${keywords}`.toLowerCase()];
  if (words.length === 0 || !words.every((word) => inTitle.includes(word) || inText.includes(word)))
    return 0;
  return 1 + words.filter((word) => inTitle.includes(word)).length * 10;
}

function excerpt(text: string, words: readonly string[]): string {
  const plain = text
    .replaceAll(/[#`*|>]|\]\([^)]*\)|\[/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const places = words.map((word) => plain.toLowerCase().indexOf(word)).filter((at) => at >= 0);
  const start = Math.max(0, Math.min(...places, plain.length) - EXCERPT / 4);
  return `${start > 0 ? '… ' : ''}${plain.slice(start, start + EXCERPT)}${plain.length > start + EXCERPT ? ' …' : ''}`;
}
