import { type Html, html } from '../../rendering/html.ts';

/** A description with its `code` in the form of code. */
export const richText = (text: string): Html =>
  html`${text.split('`').map((part, place) => (place % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))}`;
