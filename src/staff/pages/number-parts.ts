import { message, postForm } from '../../portal/layout/parts.ts';
import { type Html, html } from '../../rendering/html.ts';
import type { StaffRequest } from '../page.ts';
import type { SupportCase } from '../support-case.ts';

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

/** What a case is about, with the button beside the masked number that shows it. */
export const briefWithNumber = (
  request: StaffRequest,
  { brief, hasNumber }: Pick<SupportCase, 'brief' | 'hasNumber'>,
  /** Of the page; undefined where the number is shown. */
  path: string | undefined,
): Html =>
  html`<div class="brief"><p>${brief}</p>${hasNumber && path !== undefined && formOfNumber(request, path)}</div>`;

/** The button that shows the number of the page at `path`. */
export const formOfNumber = ({ formToken }: StaffRequest, path: string): Html =>
  postForm(
    { action: `${path}/number`, formToken, className: 'actions' },
    html`<button class="plain">Show the number</button>`,
  );
