import { message, postForm } from '../../portal/layout/parts.js';
import { type Html, html } from '../../rendering/html.js';
import type { StaffRequest } from '../page.js';

/** A number that somebody asked to see. */
export const shownNumber = (number: string): Html =>
  message(
    'notice',
    html`<div>The number is <strong>${number}</strong>. That you saw it is in the audit log.</div>`,
  );

/** The button that shows the number of the page at `path`. */
export const formOfNumber = ({ formToken }: StaffRequest, path: string): Html =>
  postForm(
    { action: `${path}/number`, formToken, className: 'actions' },
    html`<button class="secondary">Show the number</button>`,
  );
