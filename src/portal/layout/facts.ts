import { type Html, type HtmlValue, html, phrase } from '../../process/html.js';
import { time } from './parts.js';

/** A list of names and values. */
export const facts = (pairs: Readonly<Record<string, HtmlValue>>): Html =>
  html`<dl class="facts">${Object.entries(pairs).map(
    ([name, value]) => html`<div><dt>${phrase(name)}</dt><dd>${value}</dd></div>`,
  )}</dl>`;

/** An event. */
export interface Happening {
  readonly at: Date;
  readonly what: HtmlValue;
}

/** Events in order, oldest first. */
export const story = (happenings: readonly Happening[]): Html =>
  html`<ol class="story">${happenings
    .toSorted((a, b) => a.at.getTime() - b.at.getTime())
    .map(({ at, what }) => html`<li>${time(at)}<span>${what}</span></li>`)}</ol>`;
