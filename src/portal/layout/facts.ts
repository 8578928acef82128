import { type Html, type HtmlValue, html, phrase } from '../../rendering/html.ts';
import { time } from './parts.ts';

/** A list of names and values. */
export const facts = (pairs: Readonly<Record<string, HtmlValue>>): Html =>
  html`<dl class="facts">${Object.entries(pairs).map(
    ([name, value]) => html`<div><dt>${phrase(name)}</dt><dd>${value}</dd></div>`,
  )}</dl>`;

/** An event. */
export interface Happening {
  readonly at: Date;
  readonly what: HtmlValue;
  /** The workflow that did it, for staff. */
  readonly workflowId?: string | undefined;
}

/** Events in order, oldest first. */
export const inOrder = (happenings: readonly Happening[]): Happening[] =>
  happenings.toSorted((a, b) => a.at.getTime() - b.at.getTime());

/** Events, oldest first; `further` adds to each. */
export const story = (
  happenings: readonly Happening[],
  further: (happening: Happening) => HtmlValue = () => undefined,
): Html =>
  html`<ol class="story">${inOrder(happenings).map(
    (one) => html`<li>${time(one.at)}<span>${one.what}${further(one)}</span></li>`,
  )}</ol>`;
