import type { Context } from 'koa';
import { dayOfTime } from '../domain/day-report.ts';
import { allProviders, type ProviderName, providerName } from '../domain/providers.ts';
import { type Html, type HtmlValue, html } from '../rendering/html.ts';
import type { Books } from './books.ts';
import {
  type Faults,
  faultAnswers,
  isFaultless,
  type ProviderFault,
  providerPurposes,
} from './faults.ts';
import { accountRows } from './gsma/router.ts';
import { mailBehaviours } from './mail-server.ts';
import { type Product, products } from './products.ts';
import {
  type BooksRow,
  canonicalNumber,
  type ReceivedFile,
  type ReceivedMail,
  type ReceivedMessage,
} from './requests.ts';
import {
  type AirtimeBehaviour,
  delaySecondsByDigit,
  reversalRows,
  type SmsBehaviour,
  suffixRows,
} from './scenarios.ts';
import { transactionsOf } from './statements.ts';

const style = html`
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #f5f6f8; --card: #fff; --line: #d8dce2;
  --quiet: #5c6570; --accent: #0b6b4f; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaed; --paper: #14171a; --card: #1f2429;
  --line: #363d45; --quiet: #a2abb5; --accent: #5cc9a3; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 54rem; padding: 1rem; background: var(--paper);
  color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
a { color: var(--accent); }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
.quiet { color: var(--quiet); font-size: .875rem; }
form { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end; margin: 1rem 0; }
label { display: grid; gap: .25rem; flex: 1 1 14rem; font-size: .875rem; }
input, select, button { font: inherit; padding: .6rem .8rem; border-radius: .5rem;
  border: 1px solid var(--line); background: var(--card); color: inherit; }
button { background: var(--accent); color: var(--card); border-color: var(--accent); }
button.plain { background: var(--card); color: inherit; border-color: var(--line); }
label.box { display: flex; align-items: center; gap: .5rem; flex: 1 1 100%; }
select { max-width: 100%; }
ul { list-style: none; padding: 0; display: grid; gap: .75rem; }
.message { background: var(--card); border: 1px solid var(--line); padding: .75rem 1rem;
  border-radius: .25rem 1rem 1rem 1rem; max-width: 34rem; }
.message p { margin: .25rem 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.table { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; background: var(--card); }
th, td { overflow-wrap: normal; text-align: left; padding: .4rem .6rem; border-bottom: 1px solid var(--line);
  vertical-align: top; }
code { font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
`;

const contentSecurityPolicy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Answers with a self-contained page without scripts. */
function answerPage(
  ctx: Context,
  page: { title: string; content: Html; refreshSeconds?: number },
): void {
  const refresh =
    page.refreshSeconds && html`<meta http-equiv="refresh" content="${page.refreshSeconds}">`;
  ctx.set('Content-Security-Policy', contentSecurityPolicy);
  ctx.set('X-Content-Type-Options', 'nosniff');
  ctx.set('Referrer-Policy', 'no-referrer');
  ctx.set('Cache-Control', 'no-store');
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${refresh || undefined}
<title>${page.title}</title>
<style>${style}</style>
</head>
<body>
${page.content}
</body>
</html>
`.toString();
}

const code = (text: string | number): Html => html`<code>${text}</code>`;

/** A table with a title for each column. */
const table = (titles: readonly string[], rows: readonly (readonly HtmlValue[])[]): Html =>
  html`<div class="table"><table>
<thead><tr>${titles.map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
<tbody>${rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
</table></div>`;

const SHOWN = 50;
const REFRESH_SECONDS = 2;

interface Happening {
  readonly at: string;
  readonly provider: string;
  readonly kind: string;
  readonly to: string;
  readonly what: string;
  readonly status: string;
}

/** The newest messages, payouts and top-ups of all providers. */
export function answerActivityPage(ctx: Context, books: Books): void {
  const happenings = [
    ...books.messages().slice(0, SHOWN).map(messageOf),
    ...books.payouts().slice(0, SHOWN).map(rowOf('payout')),
    ...books.reversals().slice(0, SHOWN).map(rowOf('reversal')),
    ...books.topups().slice(0, SHOWN).map(rowOf('top-up')),
  ]
    .toSorted((one, other) => (one.at < other.at ? 1 : -1))
    .slice(0, SHOWN);
  const content = html`<p><a href="/">Sandbox</a> · <a href="/faults">Faults</a></p>
<main>
<h1>As it happens</h1>
<p class="quiet">Newest first. The page renews itself every ${REFRESH_SECONDS} seconds.</p>
${
  happenings.length === 0
    ? html`<p>Nothing has happened yet.</p>`
    : table(['UTC', 'Provider', 'What', 'To', 'Content', 'Status'], happenings.map(cellsOf))
}
</main>`;
  answerPage(ctx, { title: 'As it happens', content, refreshSeconds: REFRESH_SECONDS });
}

const messageOf = ({ provider, to, text, receivedAt }: ReceivedMessage): Happening => ({
  at: receivedAt,
  provider,
  kind: 'message',
  to,
  what: text,
  status: 'received',
});

const rowOf =
  (kind: string) =>
  ({ at, provider, to, amount, currency, status }: BooksRow): Happening => ({
    at,
    provider,
    kind,
    to,
    what: `${currency} ${amount}`,
    status,
  });

const cellsOf = ({ at, provider, kind, to, what, status }: Happening): HtmlValue[] => [
  html`<time datetime="${at}">${at.slice(11, 19)}</time>`,
  provider,
  kind,
  html`<a href="/phone?to=${encodeURIComponent(to)}">${to}</a>`,
  what,
  status,
];

/** Forms that break one provider each, for all numbers. */
export function answerFaultsPage(ctx: Context, faults: Faults): void {
  const content = html`<p><a href="/">Sandbox</a></p>
<main>
<h1>Faults</h1>
<p>What is set here applies to every request of the provider, before the scenario of its number. As
JSON: <code>curl ${ctx.protocol}://${ctx.host}/faults</code>, and
<code>curl -X PUT ${ctx.protocol}://${ctx.host}/faults/dt-one -H 'Content-Type: application/json'
-d '{"down":true}'</code>; a field that is missing is as usual. <code>curl -X DELETE</code> on
<code>/faults</code> mends all.</p>
${allProviders.map((provider) => faultForm(provider, faults.of(provider)))}
</main>`;
  answerPage(ctx, { title: 'Faults', content });
}

function faultForm(provider: ProviderName, fault: ProviderFault): Html {
  const purpose = providerPurposes[provider];
  const box = (name: keyof ProviderFault, label: string) =>
    html`<label class="box"><input type="checkbox" name="${name}"${fault[name] === true ? html` checked` : html``}>
${label}</label>`;
  return html`<section id="${provider}"><h2>${providerName(provider)}</h2>
<p class="quiet">${purpose}: <strong>${inWords(fault)}</strong></p>
<form action="/faults/${provider}" method="post">
${box('down', 'Down: resets connections')}
${box('dropsAnswers', 'Does it, then drops the connection')}
${box('losesCallbacks', 'Loses callbacks')}
${purpose !== 'SMS' && box('reversesLater', 'Reverses what it completes')}
<label>Slow: seconds before a request is taken
<input name="slowSeconds" type="number" min="0" max="3600" step="any" value="${fault.slowSeconds}"></label>
<label>Answers
<select name="answers">${Object.entries(faultAnswers).map(
    ([name, meaning]) =>
      html`<option value="${name}"${fault.answers === name ? html` selected` : html``}>${name}: ${meaning}</option>`,
  )}</select></label>
<button>Set</button>
<button name="clear" class="plain">As usual</button>
</form></section>`;
}

function inWords(fault: ProviderFault): string {
  if (isFaultless(fault)) return 'as usual';
  const words = [
    fault.down && 'down',
    fault.slowSeconds > 0 && `slow (${fault.slowSeconds} s)`,
    fault.dropsAnswers && 'drops answers',
    fault.losesCallbacks && 'loses callbacks',
    fault.reversesLater && 'reverses later',
    fault.answers !== 'normal' && `answers ${fault.answers}`,
  ];
  return words.filter(Boolean).join(', ');
}

/** Addresses by the names of settings: `smsUrl` is for SMS_URL. */
export type SandboxAddresses = Readonly<
  Record<
    | 'smsUrl'
    | 'smppUrl'
    | 'smtpUrl'
    | 'mobileMoneyUrl'
    | 'mobileMoneyTokenUrl'
    | 'mpesaUrl'
    | 'airtimeUrl'
    | 'reloadlyUrl'
    | 'reloadlyTokenUrl',
    string
  >
>;

/** The sandbox's first page: its addresses, and the scenarios by number. */
export function answerIndexPage(ctx: Context, addresses: SandboxAddresses, faults: Faults): void {
  const delays = Object.entries(delaySecondsByDigit)
    .map(([digit, seconds]) => `${digit} adds ${seconds} seconds`)
    .join(', ');
  const content = html`<main>
<h1>Provider sandbox</h1>
<p>Simulated providers of text messages, e-mail, mobile money and airtime, with their own books.</p>
<ul>
<li><a href="/activity">As it happens</a>: messages, payouts and top-ups, each with its provider</li>
<li><a href="/phone">The phone</a>: text messages that numbers have received
(<a href="/messages">as JSON</a>)</li>
<li><a href="/mailbox">The mailbox</a>: e-mail that addresses have received
(<a href="/mails">as JSON</a>)</li>
<li><a href="/books">The books</a>: payouts, reversals, top-ups and messages; filter by
<code>?reference=</code>, <code>?to=</code> or <code>?provider=</code></li>
<li>Statements of today in Addis Ababa, as files for <code>npm run admin -- money reconcile</code>:
${statementLinks(new Date())}</li>
</ul>
<h2>Providers</h2>
${table(
  ['Provider', 'For', 'Now'],
  allProviders.map((provider) => [
    providerName(provider),
    providerPurposes[provider],
    inWords(faults.of(provider)),
  ]),
)}
<p><a href="/faults">Break a provider, or mend it</a>; the same over HTTP, with JSON</p>
<h2>Addresses for settings</h2>
<div class="table"><table>
${Object.entries(addresses).map(
  ([name, url]) => html`<tr><th scope="row">${name.replace(/[A-Z]/g, '_$&').toUpperCase()}</th>
<td>${code(url)}${name === 'smppUrl' && ' (with any system id)'}</td></tr>`,
)}
</table></div>
<h2>Scenarios by number</h2>
<p>The last two digits of the number of a message, payout or top-up select the scenario, and the
digit x before them the delay: ${delays}. A dash, and every other number, means success at
once.</p>
${table(
  [
    'Number ends in',
    'Meaning',
    'SMS: answer; phone; report',
    'Payout: answer; books',
    'Airtime: answer; books; callback',
  ],
  suffixRows.map(({ suffix, meaning, sms, payout, airtime }) => [
    code(`x${suffix}`),
    meaning,
    sms ? wordsOfSms(sms) : '–',
    payout ? `${payout.answer}; ${payout.books}` : '–',
    airtime ? wordsOf(airtime) : '–',
  ]),
)}
<h2>Reversals by number</h2>
<p>The last two digits of the number that was paid select the course of the reversal of its payout, and
the digit before them its delay. Every other reversal succeeds at once.</p>
${table(
  ['Number ends in', 'Meaning'],
  reversalRows.map(({ suffix, meaning }) => [code(`x${suffix}`), meaning]),
)}
<h2>Payout accounts by number</h2>
<p>The last two digits of a number select what mobile money with the GSMA API says of the account before
the first payment to it. Abebe Kebede holds every other account.</p>
${table(
  ['Number ends in', 'Meaning'],
  accountRows.map(({ suffix, meaning }) => [code(suffix), meaning]),
)}
<h2>Scenarios by e-mail address</h2>
<p>Every address receives mail at once, except those that begin with one of these words.</p>
${table(
  ['Begins with', 'Meaning'],
  mailBehaviours.map(({ prefix, meaning }) => [code(prefix), meaning]),
)}
<h2>Products of airtime and packages</h2>
${table(['Id', 'Product', 'Operator', 'ETB'], products.map(cellsOfProduct))}
<h2>Settle a pending operation</h2>
<p><code>curl -X POST ${ctx.protocol}://${ctx.host}/books/payouts/REFERENCE
-H 'Content-Type: application/json' -d '{"status":"completed"}'</code> (or <code>failed</code>;
<code>topups</code> or <code>reversals</code> instead of <code>payouts</code>)</p>
</main>`;
  answerPage(ctx, { title: 'Provider sandbox', content });
}

const zone = 'Africa/Addis_Ababa';

function statementLinks(now: Date) {
  const day = dayOfTime(now, zone);
  return Object.keys(transactionsOf).map(
    (provider) => html`<a href="/statements/${provider}/${day}.csv?zone=${zone}">${provider}</a> `,
  );
}

function wordsOfSms({ answer, isReceived, report }: SmsBehaviour): string {
  const words = `${answer}; ${isReceived ? 'received' : 'not received'}`;
  return report === undefined ? words : `${words}; ${report}`;
}

function wordsOf({ answer, books, reason, callback }: AirtimeBehaviour): string {
  const outcome = reason ? `${books} (${reason})` : books;
  return books === 'not-taken' ? `${answer}; ${books}` : `${answer}; ${outcome}; ${callback}`;
}

function cellsOfProduct({ id, name, operator, price }: Product): HtmlValue[] {
  const amount = typeof price === 'number' ? price.toFixed(2) : `${price.min} to ${price.max}`;
  return [code(id), name, code(operator), amount];
}

/** Where people read the received messages of one kind. */
interface Inbox {
  readonly path: '/phone' | '/mailbox';
  /** Of the list of all, and of one. */
  readonly titles: readonly [all: string, one: string];
  /** The label and the type of the field for an address. */
  readonly field: readonly [label: string, type: 'tel' | 'email'];
  readonly nothingYet: string;
}

const SHOWN_ADDRESSES = 50;

/** The messages to an address, newest first; without an address, the addresses with messages. */
function answerInbox(
  ctx: Context,
  { path, titles, field, nothingYet }: Inbox,
  { to, shown }: { readonly to: string | undefined; readonly shown: readonly Html[] },
): void {
  const [all, one] = titles;
  const title = to === undefined ? all : `${one} ${to}`;
  const content = html`<p>${
    to === undefined ? html`<a href="/">Sandbox</a>` : html`<a href="${path}">${all}</a>`
  }</p>
<main>
<h1>${title}</h1>
<form action="${path}" method="get">
<label>${field[0]}
<input name="to" type="${field[1]}" value="${to ?? ''}" required></label>
<button>Show</button>
</form>
${to !== undefined && html`<p class="quiet">Newest first. The page renews itself every 5 seconds.</p>`}
${shown.length === 0 ? html`<p>${nothingYet}</p>` : html`<ul>${shown}</ul>`}
</main>`;
  answerPage(ctx, { title, content, ...(to !== undefined && { refreshSeconds: 5 }) });
}

/** Links to the inboxes of addresses, each once. */
const addressLinks = ({ path }: Inbox, received: readonly { readonly to: string }[]): Html[] =>
  [...new Set(received.map(({ to }) => to))]
    .slice(0, SHOWN_ADDRESSES)
    .map((to) => html`<li><a href="${path}?to=${encodeURIComponent(to)}">${to}</a></li>`);

const mailboxes: Inbox = {
  path: '/mailbox',
  titles: ['Mailboxes', 'Mailbox'],
  field: ['E-mail address', 'email'],
  nothingYet: 'No mail yet.',
};

/** The mail of an address; without an address, the addresses with mail. */
export function answerMailboxPage(ctx: Context, books: Books, to: string | undefined): void {
  const mails = books.mails(to);
  const shown = to === undefined ? addressLinks(mailboxes, mails) : mails.map(letter);
  answerInbox(ctx, mailboxes, { to, shown });
}

const phones: Inbox = {
  path: '/phone',
  titles: ['Phones', 'Phone'],
  field: ['Phone number (09…, 2519… or +2519…)', 'tel'],
  nothingYet: 'No messages yet.',
};

/** The messages of a phone; without a number, the phones with messages. */
export function answerPhonePage(ctx: Context, books: Books, given: string | undefined): void {
  const to = given && canonicalNumber(given);
  const messages = books.messages(to);
  const shown = to === undefined ? addressLinks(phones, messages) : messages.map(bubble);
  answerInbox(ctx, phones, { to, shown });
}

const letter = (mail: ReceivedMail) => html`<li class="message">
<strong>${mail.subject}</strong>
<p class="quiet">From ${mail.from}</p>
<p>${withLinks(mail.text)}</p>
${mail.attachments.length > 0 && html`<ul>${mail.attachments.map((file, place) => attached(mail, file, place))}</ul>`}
<time class="quiet" datetime="${mail.receivedAt}">${timeOf(mail)}</time>
</li>`;

const attached = (mail: ReceivedMail, { name, type }: ReceivedFile, place: number) =>
  html`<li><a href="/mails/${mail.id}/files/${place}" download="${name}">${name}</a> <span class="quiet">${type}</span></li>`;

/** Answers with an attached file, which a browser only downloads: its content is foreign. */
export function answerAttachment(ctx: Context, file: ReceivedFile | undefined): void {
  if (!file) return;
  ctx.attachment(file.name);
  ctx.set('X-Content-Type-Options', 'nosniff');
  ctx.type = `${file.type}; charset=utf-8`;
  ctx.body = file.content;
}

/** Makes links of a text clickable. */
const withLinks = (text: string): Html[] =>
  text
    .split(/(https?:\/\/[^\s<>"]+)/)
    .map((part, place) =>
      place % 2 === 1 ? html`<a href="${part}" rel="noreferrer">${part}</a>` : html`${part}`,
    );

const bubble = (message: ReceivedMessage) => html`<li class="message">
<strong>${message.from}</strong>
<p>${message.text}</p>
<time class="quiet" datetime="${message.receivedAt}">${timeOf(message)}</time>
</li>`;

const timeOf = ({ receivedAt }: ReceivedMessage | ReceivedMail) =>
  `${receivedAt.slice(0, 10)} ${receivedAt.slice(11, 19)} UTC`;
