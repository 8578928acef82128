import { type Html, type HtmlValue, html } from '../../process/html.js';
import type { PageAnswer } from '../page.js';

/** The building blocks of pages. */

/** The hidden token of a form, which other sites do not know. */
export const formTokenField = (formToken: string): Html =>
  html`<input type="hidden" name="token" value="${formToken}">`;

/** A form for a change. */
export const postForm = (
  form: { readonly action: string; readonly formToken: string; readonly className?: string },
  content: Html,
): Html => html`<form method="post" action="${form.action}" class="${form.className ?? 'form'}">
${formTokenField(form.formToken)}
${content}
</form>`;

/** A form for a change with a file upload. */
export const fileForm = (
  form: { readonly action: string; readonly formToken: string },
  content: Html,
): Html => html`<form method="post" action="${form.action}" class="form"
 enctype="multipart/form-data">
${formTokenField(form.formToken)}
${content}
</form>`;

export interface FieldOptions {
  readonly name: string;
  readonly label: string;
  /** `text` by default. */
  readonly type?: 'text' | 'email' | 'password' | 'date';
  readonly value?: string;
  readonly hint?: HtmlValue;
  /** The problem of the sent value. */
  readonly error?: string | undefined;
  readonly autocomplete?: string;
  readonly maximumLength?: number;
  readonly isOptional?: true;
}

/** A labelled input with its hint and its error; the first input with an error gets the focus. */
export function field(options: FieldOptions): Html {
  const { name, error } = options;
  const describedBy = [options.hint && `${name}-hint`, error && `${name}-error`].filter(Boolean);
  return html`<div class="field">
<label for="${name}">${options.label}</label>
${options.hint && html`<p class="hint" id="${name}-hint">${options.hint}</p>`}
${error && html`<p class="error" id="${name}-error">${error}</p>`}
<input id="${name}" name="${name}" type="${options.type ?? 'text'}" value="${options.value ?? ''}"
 autocomplete="${options.autocomplete ?? 'off'}" maxlength="${options.maximumLength ?? 200}"
${!options.isOptional && html` required`}${error && html` aria-invalid="true" autofocus`}
${describedBy.length > 0 && html` aria-describedby="${describedBy.join(' ')}"`}>
</div>`;
}

/** A highlighted message: a success, a warning or an error. */
export const message = (
  tone: 'success' | 'notice' | 'warning' | 'danger',
  content: HtmlValue,
): Html =>
  html`<div class="message ${tone}" role="${tone === 'danger' ? 'alert' : 'note'}">${content}</div>`;

export interface TableColumn<Row> {
  readonly title: string;
  readonly value: (row: Row) => HtmlValue;
  readonly align?: 'right';
}

/** A table that becomes a list of cards on small screens. */
export const table = <Row>(
  caption: string,
  rows: readonly Row[],
  columns: readonly TableColumn<Row>[],
): Html => html`<table role="table">
<caption>${caption}</caption>
<thead role="rowgroup"><tr role="row">${columns.map(
  ({ title, align }) =>
    html`<th role="columnheader" scope="col"${align && html` class="right"`}>${title}</th>`,
)}</tr></thead>
<tbody role="rowgroup">${rows.map(
  (row) =>
    html`<tr role="row">${columns.map(
      ({ title, value, align }) =>
        html`<td role="cell" data-label="${title}"${align && html` class="right"`}><div>${value(row)}</div></td>`,
    )}</tr>`,
)}</tbody>
</table>`;

/** Placeholder of an empty list. */
export const emptyState = (title: string, text: HtmlValue): Html =>
  html`<div class="empty"><p><strong>${title}</strong></p><p>${text}</p></div>`;

/** A time in UTC with minutes. */
export function time(date: Date): Html {
  const iso = date.toISOString();
  return html`<time datetime="${iso}"><span>${iso.slice(0, 10)}</span> <span>${iso.slice(11, 16)} UTC</span></time>`;
}

/** A label of a state. */
export const badge = (tone: 'success' | 'warning' | 'danger' | 'plain', word: string): Html =>
  html`<span class="badge ${tone}">${word}</span>`;

/** A text to copy: a script adds a button; without scripts people select the text. */
export const copyField = (options: {
  readonly name: string;
  readonly label: string;
  readonly value: string;
}): Html => html`<div class="field"><label for="${options.name}">${options.label}</label>
<input id="${options.name}" class="secret" readonly data-copy value="${options.value}"
 autocomplete="off" spellcheck="false"></div>`;

/** A page that asks for confirmation of an irreversible change. */
export const confirmation = (question: {
  readonly title: string;
  readonly text: Html;
  readonly action: string;
  readonly formToken: string;
  /** Hidden fields of the subject, where the path does not identify it. */
  readonly fields?: Html;
  readonly button: string;
  readonly back: string;
}): PageAnswer => ({
  kind: 'page',
  title: question.title,
  content: html`<h1>${question.title}</h1>
<section class="card">${question.text}
${postForm(
  { action: question.action, formToken: question.formToken },
  html`${question.fields}<p class="actions"><button class="danger">${question.button}</button>
<a href="${question.back}">Back</a></p>`,
)}</section>`,
});
