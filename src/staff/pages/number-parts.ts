import { message, postForm } from '../../portal/layout/parts.js';
import { type Html, html } from '../../rendering/html.js';
import type { StaffRequest } from '../page.js';

/** The numbers that somebody asked to see. */
export interface ShownNumbers {
  /** Of the case. */
  readonly number: string;
  /** Which a repair was given. */
  readonly given?: string | undefined;
}

/** A number that somebody asked to see, and apart from it the one that a repair was given. */
export const shownNumber = ({ number, given }: ShownNumbers): Html =>
  message(
    'notice',
    html`<div>${
      given === undefined
        ? html`The number is <strong>${number}</strong>.`
        : html`The number given is <strong>${given}</strong>. That of the case is <strong>${number}</strong>.`
    } That you saw it is in the audit log.</div>`,
  );

/** The button that shows the number of the page at `path`. */
export const formOfNumber = ({ formToken }: StaffRequest, path: string): Html =>
  postForm(
    { action: `${path}/number`, formToken, className: 'actions' },
    html`<button class="secondary">Show the number</button>`,
  );
