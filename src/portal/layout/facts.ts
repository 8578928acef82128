import { type Html, type HtmlValue, html } from '../../process/html.js';
import { time } from './parts.js';

/** Names and what each is, as a list of pairs. */
export const facts = (pairs: Readonly<Record<string, HtmlValue>>): Html =>
  html`<dl class="facts">${Object.entries(pairs).map(
    ([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`,
  )}</dl>`;

/** Something that happened. */
export interface Happening {
  readonly at: Date;
  readonly what: HtmlValue;
}

/** What happened, oldest first. */
export const story = (happenings: readonly Happening[]): Html =>
  html`<ol class="story">${happenings
    .toSorted((a, b) => a.at.getTime() - b.at.getTime())
    .map(({ at, what }) => html`<li>${time(at)}<span>${what}</span></li>`)}</ol>`;
