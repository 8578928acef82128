import { type Html, type HtmlValue, html, phrase } from '../../rendering/html.ts';
import { language, locale } from '../language/language.ts';
import type { PageAnswer } from '../page.ts';
import { timeZone, zonedTime } from '../time-zone.ts';

/**
 * The building blocks of pages. Their labels, hints and messages are texts of the program, which are
 * translated; the values in them are not.
 */
const words = (content: HtmlValue): HtmlValue =>
  typeof content === 'string' ? phrase(content) : content;

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
  /** Where several forms of a page have the name; the name by default. */
  readonly id?: string;
  readonly label: string;
  /** `text` by default. */
  readonly type?: 'text' | 'email' | 'password' | 'date' | 'datetime-local';
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
  const { name, error, id = name } = options;
  const describedBy = [options.hint && `${id}-hint`, error && `${id}-error`].filter(Boolean);
  return html`<div class="field">
<label for="${id}">${phrase(options.label)}</label>
${options.hint && html`<p class="hint" id="${id}-hint">${words(options.hint)}</p>`}
${error && html`<p class="error" id="${id}-error">${words(error)}</p>`}
<input id="${id}" name="${name}" type="${options.type ?? 'text'}" value="${options.value ?? ''}"
 autocomplete="${options.autocomplete ?? 'off'}" maxlength="${options.maximumLength ?? 200}"
${!options.isOptional && html` required`}${error && html` aria-invalid="true" autofocus`}
${describedBy.length > 0 && html` aria-describedby="${describedBy.join(' ')}"`}>
</div>`;
}

/** A labelled choice of one of several values. */
export const selectField = (select: {
  readonly name: string;
  /** Where several forms of a page have the name; the name by default. */
  readonly id?: string;
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, label: string])[];
  readonly error?: string | undefined;
  /** The empty value is no answer. */
  readonly isRequired?: true;
}): Html => html`<div class="field"><label for="${select.id ?? select.name}">${phrase(select.label)}</label>
${select.error && html`<p class="error">${words(select.error)}</p>`}
<select id="${select.id ?? select.name}" name="${select.name}"${select.isRequired && html` required`}>${select.options.map(
  ([value, label]) =>
    html`<option value="${value}"${value === select.value && html` selected`}>${phrase(label)}</option>`,
)}</select></div>`;

/** A highlighted message: a success, a warning or an error; a plain one is only set apart. */
export const message = (
  tone: 'success' | 'notice' | 'warning' | 'danger' | 'plain',
  content: HtmlValue,
): Html =>
  html`<div class="message ${tone}" role="${tone === 'danger' ? 'alert' : 'note'}">${words(content)}</div>`;

export interface TableColumn<Row> {
  readonly title: string;
  readonly value: (row: Row) => HtmlValue;
  readonly align?: 'right';
  /**
   * On a phone a row with a `head` has two lines: head and figure on the first, the rest small on the
   * second. `etb` has its currency there, `out` and `in` a sign; `plain` has no label, and `hidden` is
   * left to the page of the row.
   */
  readonly phone?:
    | 'head'
    | 'figure'
    | 'figure etb'
    | 'figure out'
    | 'figure in'
    | 'plain'
    | 'hidden';
}

/** A table that becomes a list of cards on small screens. */
export const table = <Row>(
  caption: string,
  rows: readonly Row[],
  columns: readonly TableColumn<Row>[],
): Html => html`<table role="table"${columns.some(({ phone }) => phone === 'head') && html` class="two-lines"`}>
<caption>${phrase(caption)}</caption>
<thead role="rowgroup"><tr role="row">${columns.map(
  ({ title, align }) =>
    html`<th role="columnheader" scope="col"${align && html` class="right"`}>${phrase(title)}</th>`,
)}</tr></thead>
<tbody role="rowgroup">${rows.map(
  (row) =>
    html`<tr role="row">${columns.map(
      ({ title, value, align, phone }) =>
        html`<td role="cell" data-label="${phrase(title)}"${classOf(align, phone)}><div>${value(row)}</div></td>`,
    )}</tr>`,
)}</tbody>
</table>`;

const classOf = (...names: readonly (string | undefined)[]): Html | false => {
  const given = names.filter((name) => name !== undefined);
  return given.length > 0 && html` class="${given.join(' ')}"`;
};

/** Placeholder of an empty list. */
export const emptyState = (title: string, text: HtmlValue): Html =>
  html`<div class="empty"><p><strong>${phrase(title)}</strong></p><p>${words(text)}</p></div>`;

/** A time in the zone of the person. */
export function time(date: Date): Html {
  const shown = zonedTime(date);
  return html`<time datetime="${date.toISOString()}"><span>${shownDay(date, shown.day)}</span> <span>${shown.time}</span></time>`;
}

/** The day as the person's language writes it; in English as ISO 8601 does. */
const shownDay = (date: Date, day: string): string =>
  language() === 'en'
    ? day
    : date.toLocaleDateString(locale(), { dateStyle: 'medium', timeZone: timeZone() });

/** A label of a state. */
export const badge = (tone: 'success' | 'warning' | 'danger' | 'plain', word: string): Html =>
  html`<span class="badge ${tone}">${phrase(word)}</span>`;

/** A text to copy: a script adds a button; without scripts people select the text. */
export const copyField = (options: {
  readonly name: string;
  readonly label: string;
  readonly value: string;
}): Html => html`<div class="field"><label for="${options.name}">${phrase(options.label)}</label>
<input id="${options.name}" class="secret" readonly data-copy value="${options.value}"
 autocomplete="off" spellcheck="false"></div>`;

/** A page that asks for confirmation of a change. */
export const confirmation = (question: {
  readonly title: string;
  readonly text: Html;
  readonly action: string;
  readonly formToken: string;
  /** Hidden fields of the subject, where the path does not identify it. */
  readonly fields?: Html;
  readonly button: string;
  /** It can be repeated, and it takes nothing away. */
  readonly isHarmless?: true;
  readonly back: string;
  /** 200 by default. */
  readonly status?: number;
}): PageAnswer => ({
  kind: 'page',
  title: question.title,
  ...(question.status === undefined ? {} : { status: question.status }),
  content: html`<h1>${phrase(question.title)}</h1>
<section class="card">${question.text}
${postForm(
  { action: question.action, formToken: question.formToken },
  html`${question.fields}<p class="actions"><button${!question.isHarmless && html` class="danger"`}>${phrase(question.button)}</button>
<a href="${question.back}">Back</a></p>`,
)}</section>`,
});
