import { z } from 'zod';
import type { Days } from '../../db/days.ts';
import type { Wallet } from '../../db/ledger/account-statements.ts';
import { partnerBalances, readLowBalances } from '../../db/ledger/ledger.ts';
import { mayUse, type PortalRole } from '../../domain/access.ts';
import { formatAmount, formatGroupedAmount, parseMoney } from '../../domain/money.ts';
import { readAllowlistEntry } from '../../http/access/allowlist.ts';
import { type Html, type HtmlValue, html, phrase } from '../../rendering/html.ts';
import { type KnownText, language, locale } from '../language/language.ts';
import { type AccountRequest, type PageAnswer, PORTAL_PATH } from '../page.ts';
import { timeZone, zonedTime } from '../session/preferences.ts';

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

const DAY_MS = 86_400_000;
const MAXIMUM_DAYS = 366;

/** The value of a date field, in years of four digits within the life of this service. */
export const daySchema = z.iso
  .date('Enter a day such as 2026-01-31.')
  .regex(/^20/, 'Enter a day such as 2026-01-31.');

/** The present day in the zone of the request. */
export const today = (): string => zonedTime(new Date()).day;

/** Adds days; a negative number subtracts. */
export const daysAfter = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);

/** The days from the first to the last one that is not empty. */
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

/** Reads `from` and `to`, both inclusive; the default is the last 30 days. */
export function readDays(query: URLSearchParams): ReadDays {
  const to = query.get('to')?.trim() || today();
  const isTo = daySchema.safeParse(to).success;
  const from = query.get('from')?.trim() || daysAfter(isTo ? to : today(), -29);
  const values = { from, to };
  const wrong = (problems: ReadDays['problems']): ReadDays => ({ values, problems });
  if (!daySchema.safeParse(from).success) return wrong({ from: 'Enter a day such as 2026-01-31.' });
  if (!isTo) return wrong({ to: 'Enter a day such as 2026-01-31.' });
  if (from > to) return wrong({ from: 'The first day is after the last one.' });
  if (daysAfter(from, MAXIMUM_DAYS) <= to)
    return wrong({ from: `Choose at most ${MAXIMUM_DAYS} days.` });
  return { values, days: { first: from, last: to, zone: timeZone() }, problems: {} };
}

/** A decimal string with grouped thousands: "1,250.00". */
export const amount = (decimal: string): string => formatGroupedAmount(parseMoney(decimal));

/** An amount with its currency, without a line break. */
export const money = (decimal: string): Html =>
  html`<span class="money">ETB ${amount(decimal)}</span>`;

/** A decimal string for spreadsheets: "1250.00". */
export const plainAmount = (decimal: string): string => formatAmount(parseMoney(decimal));

/** Rows of a download at most; people split a longer one by its dates. */
export const DOWNLOAD_ROWS = 20_000;

/** The labels of a partner's balances, in the order of the specification (2.10). */
export const walletLabels: Readonly<
  Record<Wallet, { readonly name: KnownText; readonly text: KnownText }>
> = {
  airtime: { name: 'Airtime wallet', text: 'Airtime and packages are paid from it.' },
  gift: { name: 'Gift wallet', text: 'Vouchers are generated from it.' },
  reserved: {
    name: 'Unused vouchers',
    text: 'The unused value of your vouchers.',
  },
};

/** The balances as cards. */
export async function balanceCards({ services, session }: AccountRequest): Promise<Html> {
  const balances = await partnerBalances(services.database, session.company.id);
  const lows = await readLowBalances(services.database, session.company.id);
  const cards = Object.entries(walletLabels).map(([wallet, { name, text }]) => {
    const balance = balances[wallet as Wallet];
    const low = wallet === 'reserved' ? undefined : lows[wallet as keyof typeof lows];
    return html`<section class="card figure"><h2>${phrase(name)}</h2>
<p class="amount">${money(balance)}</p>
<p class="quiet">${phrase(text)}</p>
${low !== undefined && lowNote({ wallet, balance, low, role: session.role })}
${
  mayUse(session.role, 'export') &&
  html`<p><a href="${PORTAL_PATH}/balances/${wallet}">Statement<span class="visually-hidden">
of the ${phrase(name.toLowerCase())}</span></a></p>`
}</section>`;
  });
  return html`<div class="cards">${cards}</div>`;
}

/** Whether a wallet is low, and since which balance; a link to change that. */
function lowNote({
  wallet,
  balance,
  low,
  role,
}: {
  readonly wallet: string;
  readonly balance: string;
  readonly low: string | null;
  readonly role: PortalRole;
}): Html {
  const isLow = low !== null && parseMoney(balance) < parseMoney(low);
  const change =
    mayUse(role, 'operate') &&
    html`<a href="${PORTAL_PATH}/balances/${wallet}/low-balance">${phrase(
      low === null ? 'Warn when it is low' : 'Change the warning',
    )}<span class="visually-hidden"> (${phrase(`${wallet} wallet`)})</span></a>`;
  return html`<p>${isLow && badge('danger', 'Low')} ${low !== null && html`Low below ${money(low)}.`} ${change}</p>`;
}

type ReadAddress =
  | { readonly ok: true; readonly address: string }
  | { readonly ok: false; readonly problem: string };

const problem = (text: string): ReadAddress => ({ ok: false, problem: text });

/** Reads the address of a server as people type it, or describes what is wrong with it. */
export function readRegisteredAddress(text: string): ReadAddress {
  const written = text.trim().toLowerCase();
  if (written === '') return problem('Enter an address.');
  if (/^https?:/.test(written))
    return problem('Enter the address alone, without “https://” and without a path.');
  if (/^\d+(\.\d+){3}:\d+$/.test(written))
    return problem('Omit the port: calls may come from any port.');
  const read = readAllowlistEntry(written, 'company');
  if (read.ok) return { ok: true, address: read.entry };
  return problem(
    read.problem === 'unreadable'
      ? HOW_TO_WRITE
      : `This range is too wide: register one of at least /${read.leastBits}, or ask support.`,
  );
}

const HOW_TO_WRITE =
  'This address cannot be registered. Write IPv4 as 203.0.113.7, IPv6 as 2001:db8::7, a ' +
  'range with its prefix, such as 203.0.113.0/28, and a name in full, such as api.shop.example.';
