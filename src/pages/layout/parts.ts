import { z } from 'zod';
import { randomToken } from '../../crypto/random.ts';
import type { Days } from '../../db/days.ts';
import { hoursOfPassword } from '../../domain/access.ts';
import { daysAfter } from '../../domain/local-time.ts';
import { amountText } from '../../domain/money.ts';
import { providerName } from '../../domain/providers.ts';
import { type FieldOf, fieldValue } from '../../rendering/fields.ts';
import { type Html, type HtmlValue, html, phrase } from '../../rendering/html.ts';
import { countText, language, locale } from '../language/language.ts';
import { timeZone, zonedTime } from '../language/time-zone.ts';
import type { PageAnswer, PublicRequest } from '../page.ts';

/**
 * The building blocks of pages. Their labels, hints and messages are texts of the program, which are
 * translated; the values in them are not.
 */
const words = (content: HtmlValue): HtmlValue =>
  typeof content === 'string' ? phrase(content) : content;

/** The hidden token of a form, which other sites do not know. */
export const formTokenField = (formToken: string): Html =>
  html`<input type="hidden" name="token" value="${formToken}">`;

/** The field that makes a form one operation, however often it is sent; over several pages it stays the same. */
export const onceField = (once = randomToken()): Html =>
  html`<input type="hidden" name="once" value="${once}">`;

/** The idempotency key of a sent form; undefined where its field was changed. */
export function onceKey({ form, site }: Pick<PublicRequest, 'form' | 'site'>): string | undefined {
  const once = form.text('once');
  return /^[\w-]{43}$/.test(once) ? `${site.basePath.slice(1)}:${once}` : undefined;
}

/** A form for a change, to the path `action`. */
export const postForm = (
  { formToken }: Pick<PublicRequest, 'formToken'>,
  action: string,
  content: Html,
  className = 'form',
): Html => html`<form method="post" action="${action}" class="${className}">
${formTokenField(formToken)}
${content}
</form>`;

/** A form for a change with a file upload. */
export const fileForm = (
  { formToken }: Pick<PublicRequest, 'formToken'>,
  action: string,
  content: Html,
): Html => html`<form method="post" action="${action}" class="form"
 enctype="multipart/form-data">
${formTokenField(formToken)}
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
  /** Asks whether the sent value is meant; the person sends it again. */
  readonly question?: string | undefined;
  readonly autocomplete?: string;
  readonly maximumLength?: number;
  readonly isOptional?: true;
  /** People type here first. */
  readonly hasFocus?: true;
}

/** A labelled input with its hint, and its error or question; the first input with one of these gets the focus. */
export function field(options: FieldOptions): Html {
  const { name, hint, error, question, id = name } = options;
  const describedBy = [
    hint && `${id}-hint`,
    error && `${id}-error`,
    question && `${id}-question`,
  ].filter(Boolean);
  return html`${question && html`<div id="${id}-question">${message('warning', question)}</div>`}
<div class="field">
<label for="${id}">${phrase(options.label)}</label>
${hint && html`<p class="hint" id="${id}-hint">${words(hint)}</p>`}
${error && html`<p class="error" id="${id}-error">${words(error)}</p>`}
<input id="${id}" name="${name}" type="${options.type ?? 'text'}" value="${options.value ?? ''}"
 autocomplete="${options.autocomplete ?? 'off'}" maxlength="${options.maximumLength ?? 200}"
${!options.isOptional && html` required`}${error && html` aria-invalid="true"`}${
  (error || question || options.hasFocus) && html` autofocus`
}
${describedBy.length > 0 && html` aria-describedby="${describedBy.join(' ')}"`}>
</div>`;
}

/** The problems of a sent form, by the names of its fields. */
export type WrongFields = Readonly<Record<string, string | undefined>>;

/** What a form says, or its problems. */
export type ReadForm<Value> =
  | { readonly value: Value; readonly wrong?: undefined }
  | { readonly wrong: WrongFields };

/** The reading of a sent form; undefined where no browser sends it so. */
export type Reading<Value> = ReadForm<Value> | undefined | Promise<ReadForm<Value> | undefined>;

/** Names a field, with what was sent in it and its problem; before that with its present value. */
export const asSent =
  ({ form }: Pick<PublicRequest, 'form'>, wrong: WrongFields | undefined) =>
  (name: string, present = '') => ({
    name,
    value: wrong ? form.text(name) : present,
    error: wrong?.[name],
  });

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
  readonly value: (row: Row) => HtmlValue | Date;
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

/** A table that becomes a list of cards on small screens; `none` stands in its place where there are no rows. */
export const table = <Row>(
  caption: string,
  rows: readonly Row[],
  columns: readonly TableColumn<NoInfer<Row>>[],
  none?: Html,
): Html =>
  rows.length === 0 && none !== undefined
    ? none
    : html`<table role="table"${columns.some(({ phone }) => phone === 'head') && html` class="two-lines"`}>
<caption>${phrase(caption)}</caption>
<thead role="rowgroup"><tr role="row">${columns.map(
        ({ title, align }) =>
          html`<th role="columnheader" scope="col"${align && html` class="right"`}>${phrase(title)}</th>`,
      )}</tr></thead>
<tbody role="rowgroup">${rows.map(
        (row) =>
          html`<tr role="row">${columns.map(
            ({ title, value, align, phone }) =>
              html`<td role="cell" data-label="${phrase(title)}"${classOf(align, phone)}><div>${cellOf(value(row))}</div></td>`,
          )}</tr>`,
      )}</tbody>
</table>`;

/** A field as a cell shows it: a time is in the zone of the person. */
const cellOf = (value: HtmlValue | Date): HtmlValue =>
  value instanceof Date ? time(value) : value;

/** Makes columns, each by its title, what its cells show, and its place on a phone. */
const columnsOf =
  (align?: 'right') =>
  <Row>(
    title: string,
    field: FieldOf<Row, HtmlValue | Date>,
    phone?: Exclude<TableColumn<Row>['phone'], undefined>,
  ): TableColumn<Row> => ({
    title,
    value(row) {
      const value = fieldValue<Row, HtmlValue | Date>(row, field);
      return align && typeof value === 'number' ? countText(value) : value;
    },
    ...(align && { align }),
    ...(phone && { phone }),
  });

export const textColumn = columnsOf();
export const numberColumn = columnsOf('right');

/** A column of times, by their name in the row. */
export const timeColumn = <Name extends string>(
  title: string,
  name: Name,
): TableColumn<Readonly<Record<Name, Date>>> => textColumn(title, (row) => row[name], 'plain');

/** A column of providers. */
export const providerColumn = textColumn<{ readonly provider: string | null }>(
  'Provider',
  ({ provider }) => (provider === null ? '–' : providerName(provider)),
  'plain',
);

/** A column of amounts in ETB, the figure of its row on a phone. */
export const amountColumn = <Row>(amountOf: (row: Row) => string | null): TableColumn<Row> =>
  numberColumn(
    'ETB',
    (row) => {
      const amount = amountOf(row);
      return amount && amountText(amount);
    },
    'figure etb',
  );

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

/** How a state is shown. */
export type ShownState = readonly [tone: 'success' | 'warning' | 'danger' | 'plain', word: string];

/** The word of a state, for files. */
export const stateWord = ([, word]: ShownState): string => word;

/** A label of a state. */
export const badge = (...[tone, word]: ShownState): Html =>
  html`<span class="badge ${tone}">${phrase(word)}</span>`;

/** A text to copy: a script adds a button; without scripts people select the text. */
export const copyField = (options: {
  readonly name: string;
  readonly label: string;
  readonly value: string;
}): Html => html`<div class="field"><label for="${options.name}">${phrase(options.label)}</label>
<input id="${options.name}" class="secret" readonly data-copy value="${options.value}"
 autocomplete="off" spellcheck="false"></div>`;

/** What a page asks before a change. */
export interface Question {
  readonly title: string;
  /** The title by default. */
  readonly heading?: Html;
  readonly text?: HtmlValue;
  readonly fields?: HtmlValue;
  readonly button: string;
  /** It takes something away, or cannot be undone. */
  readonly isDanger?: true;
  /** The page that the person came from. */
  readonly back: string;
  readonly status?: number | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

/** A page with one form, which goes to the path of the request. */
export const questionPage = (
  request: Pick<PublicRequest, 'formToken' | 'path'>,
  { title, heading = phrase(title), text, fields, button, back, isDanger, ...answer }: Question,
): PageAnswer => ({
  kind: 'page',
  title,
  ...answer,
  content: html`<h1>${heading}</h1>
<section class="card">${text}
${postForm(
  request,
  request.path,
  html`${fields}<p class="actions"><button${isDanger && html` class="danger"`}>${phrase(button)}</button>
<a href="${back}">Back</a></p>`,
)}</section>`,
});

/** A page that shows a secret, once; browsers cache no page of these sites. */
export const secretPage = (shown: {
  readonly title: string;
  readonly heading?: string;
  /** The subject of the secret. */
  readonly name: HtmlValue;
  readonly warning: Html;
  readonly secret: Parameters<typeof copyField>[0];
  readonly further?: HtmlValue;
  readonly back: string;
}): PageAnswer => ({
  kind: 'page',
  title: shown.title,
  content: html`<h1>${phrase(shown.heading ?? shown.title)}</h1>
<section class="card"><h2>${shown.name}</h2>
${message('warning', shown.warning)}
${copyField(shown.secret)}
${shown.further && html`<p>${shown.further}</p>`}
<p class="actions"><a class="button secondary" href="${shown.back}">I have copied it</a></p>
</section>`,
});

/** The page that shows a password for the next sign-in, once. */
export const passwordPage = (
  { services }: Pick<PublicRequest, 'services'>,
  {
    email,
    label,
    password,
    ...shown
  }: Pick<Parameters<typeof secretPage>[0], 'title' | 'heading' | 'back'> & {
    readonly email: string;
    readonly label: string;
    readonly password: string;
  },
): PageAnswer =>
  secretPage({
    ...shown,
    name: email,
    warning: html`<strong>Copy the password now: it is shown only once.</strong> Hand it over safely. It expires in
${hoursOfPassword(services.settings.portal.portalOneTimePasswordSeconds)} hours, and the person chooses another one at the first sign-in.`,
    secret: { name: 'password', label, value: password },
  });

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

/** An event. Documents of the database have their times as text. */
export const happening = (at: Date | string, what: HtmlValue, workflowId?: string): Happening => ({
  at: new Date(at),
  what,
  workflowId,
});

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

const MAXIMUM_DAYS = 366;

/** The value of a date field, in years of four digits within the life of this service. */
export const daySchema = z.iso
  .date('Enter a day such as 2026-01-31.')
  .regex(/^20/, 'Enter a day such as 2026-01-31.');

/** The present day in the zone of the request. */
export const today = (): string => zonedTime(new Date()).day;

/** The days from the first to the last day that is not empty. */
export function withoutEmptyEnds<Day>(
  days: readonly Day[],
  isEmpty: (day: Day) => boolean,
): readonly Day[] {
  const first = days.findIndex((day) => !isEmpty(day));
  return first < 0 ? [] : days.slice(first, days.findLastIndex((day) => !isEmpty(day)) + 1);
}

/** The range of days of a request, or its problems. */
export interface ReadDays {
  /** As shown in the form. */
  readonly values: { readonly from: string; readonly to: string };
  /** Undefined for an invalid range. */
  readonly days?: Days;
  readonly problems: { readonly from?: string; readonly to?: string };
}

export const REVERSED_DAYS = 'The first day is after the last one.';

/** Reads `from` and `to`, both inclusive; the default is the last 30 days. */
export function readDays(query: URLSearchParams): ReadDays {
  const to = query.get('to')?.trim() || today();
  const isTo = daySchema.safeParse(to).success;
  const from = query.get('from')?.trim() || daysAfter(isTo ? to : today(), -29);
  const values = { from, to };
  const wrong = (problems: ReadDays['problems']): ReadDays => ({ values, problems });
  if (!daySchema.safeParse(from).success) return wrong({ from: 'Enter a day such as 2026-01-31.' });
  if (!isTo) return wrong({ to: 'Enter a day such as 2026-01-31.' });
  if (from > to) return wrong({ from: REVERSED_DAYS });
  if (daysAfter(from, MAXIMUM_DAYS) <= to)
    return wrong({ from: `Choose at most ${MAXIMUM_DAYS} days.` });
  return { values, days: { first: from, last: to, zone: timeZone() }, problems: {} };
}

/** An amount with its currency, without a line break. */
export const money = (decimal: string): Html =>
  html`<span class="money">ETB ${amountText(decimal)}</span>`;

/** A sentence, without a line break in its amounts. */
export const unbroken = (sentence: string): string => sentence.replaceAll('ETB ', 'ETB\u00A0');

/** Rows of a download at most; people split a longer one by its dates. */
export const DOWNLOAD_ROWS = 20_000;
