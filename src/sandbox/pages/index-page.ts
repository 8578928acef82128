import type { Context } from 'koa';
import { html } from '../../rendering/html.ts';
import type { AirtimeBehaviour, SmsBehaviour } from '../behaviours.ts';
import { type Product, products } from '../dt-one/products.ts';
import type { Faults } from '../faults/provider-faults.ts';
import { accountRows } from '../gsma/payee-account.ts';
import { mailBehaviours } from '../mail-server.ts';
import { reversalRows, suffixRows } from '../scenario-table.ts';
import { delaySecondsByDigit } from '../scenarios.ts';
import { transactionsOf } from '../statements/provider-lists.ts';
import { faultRows } from './faults-page.ts';
import { answerPage } from './page.ts';

export interface SandboxAddresses {
  readonly smtpUrl: string;
  readonly smsUrl: string;
  readonly smppUrl: string;
  readonly mobileMoneyUrl: string;
  readonly mobileMoneyTokenUrl: string;
  readonly mpesaUrl: string;
  readonly airtimeUrl: string;
  readonly reloadlyUrl: string;
  readonly reloadlyTokenUrl: string;
}

/** The sandbox's first page: its addresses, and the scenarios by number. */
export function answerIndexPage(ctx: Context, addresses: SandboxAddresses, faults: Faults): void {
  const rows = suffixRows.map(
    ({ suffix, meaning, sms, payout, airtime }) => html`<tr><td><code>x${suffix}</code></td>
<td>${meaning}</td>
<td>${sms ? wordsOfSms(sms) : '–'}</td>
<td>${payout ? `${payout.answer}; ${payout.books}` : '–'}</td>
<td>${airtime ? wordsOf(airtime) : '–'}</td></tr>`,
  );
  const delays = Object.entries(delaySecondsByDigit)
    .map(([digit, seconds]) => `${digit} adds ${seconds} seconds`)
    .join(', ');
  const content = html`<main>
<h1>Provider sandbox</h1>
<p>Simulated providers of text messages, e-mail, mobile money and airtime. They keep their own books, in
memory: a restart clears them.</p>
<ul>
<li><a href="/activity">As it happens</a>: messages, payouts and top-ups, each with its provider</li>
<li><a href="/phone">The phone</a>: text messages that numbers have received
(<a href="/messages">as JSON</a>)</li>
<li><a href="/mailbox">The mailbox</a>: e-mail that addresses have received
(<a href="/mails">as JSON</a>)</li>
<li><a href="/books">The books</a>: payouts, reversals, top-ups and messages; filter by
<code>?reference=</code>, <code>?to=</code> or <code>?provider=</code></li>
<li>Statements of today in Addis Ababa, as files for <code>npm run admin -- reconcile</code>:
${statementLinks(new Date())}</li>
</ul>
<h2>Providers</h2>
<div class="table"><table>
<thead><tr><th scope="col">Provider</th><th scope="col">For</th><th scope="col">Now</th></tr></thead>
<tbody>${faultRows(faults)}</tbody>
</table></div>
<p><a href="/faults">Break a provider, or mend it</a>; the same over HTTP, with JSON</p>
<h2>Addresses for settings</h2>
<div class="table"><table>
<tr><th scope="row">SMS_URL</th><td><code>${addresses.smsUrl}</code></td></tr>
<tr><th scope="row">SMPP_URL</th><td><code>${addresses.smppUrl}</code> (with any system id)</td></tr>
<tr><th scope="row">SMTP_URL</th><td><code>${addresses.smtpUrl}</code></td></tr>
<tr><th scope="row">MOBILE_MONEY_URL</th><td><code>${addresses.mobileMoneyUrl}</code></td></tr>
<tr><th scope="row">MOBILE_MONEY_TOKEN_URL</th>
<td><code>${addresses.mobileMoneyTokenUrl}</code></td></tr>
<tr><th scope="row">MPESA_URL</th><td><code>${addresses.mpesaUrl}</code></td></tr>
<tr><th scope="row">AIRTIME_URL</th><td><code>${addresses.airtimeUrl}</code></td></tr>
<tr><th scope="row">RELOADLY_URL</th><td><code>${addresses.reloadlyUrl}</code></td></tr>
<tr><th scope="row">RELOADLY_TOKEN_URL</th><td><code>${addresses.reloadlyTokenUrl}</code></td></tr>
</table></div>
<h2>Scenarios by number</h2>
<p>The last two digits of the number of a message, payout or top-up select the scenario, and the
digit x before them the delay: ${delays}. A dash, and every other number, means success at
once.</p>
<div class="table"><table>
<thead><tr><th scope="col">Number ends in</th><th scope="col">Meaning</th>
<th scope="col">SMS: answer; phone; report</th><th scope="col">Payout: answer; books</th>
<th scope="col">Airtime: answer; books; callback</th></tr></thead>
<tbody>${rows}</tbody>
</table></div>
<h2>Reversals by number</h2>
<p>The last two digits of the number that was paid select the course of the reversal of its payout, and
the digit before them its delay. Every other reversal succeeds at once.</p>
<div class="table"><table>
<thead><tr><th scope="col">Number ends in</th><th scope="col">Meaning</th></tr></thead>
<tbody>${reversalRows.map(
    ({ suffix, meaning }) => html`<tr><td><code>x${suffix}</code></td><td>${meaning}</td></tr>`,
  )}</tbody>
</table></div>
<h2>Payout accounts by number</h2>
<p>The last two digits of a number select what mobile money with the GSMA API says of the account before
the first payment to it. Abebe Kebede holds every other account.</p>
<div class="table"><table>
<thead><tr><th scope="col">Number ends in</th><th scope="col">Meaning</th></tr></thead>
<tbody>${accountRows.map(
    ({ suffix, meaning }) => html`<tr><td><code>${suffix}</code></td><td>${meaning}</td></tr>`,
  )}</tbody>
</table></div>
<h2>Scenarios by e-mail address</h2>
<p>Every address receives mail at once, except those that begin with one of these words.</p>
<div class="table"><table>
<thead><tr><th scope="col">Begins with</th><th scope="col">Meaning</th></tr></thead>
<tbody>${mailBehaviours.map(
    ({ prefix, meaning }) => html`<tr><td><code>${prefix}</code></td><td>${meaning}</td></tr>`,
  )}</tbody>
</table></div>
<h2>Products of airtime and packages</h2>
<div class="table"><table>
<thead><tr><th scope="col">Id</th><th scope="col">Product</th><th scope="col">Operator</th>
<th scope="col">ETB</th></tr></thead>
<tbody>${products.map(productRow)}</tbody>
</table></div>
<h2>Settle a pending operation</h2>
<p><code>curl -X POST ${ctx.protocol}://${ctx.host}/books/payouts/REFERENCE
-H 'Content-Type: application/json' -d '{"status":"completed"}'</code> (or <code>failed</code>;
<code>topups</code> or <code>reversals</code> instead of <code>payouts</code>)</p>
</main>`;
  answerPage(ctx, { title: 'Provider sandbox', content });
}

const zone = 'Africa/Addis_Ababa';

function statementLinks(now: Date) {
  const day = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' }).format(now);
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

function productRow({ id, name, operator, price }: Product) {
  const amount = typeof price === 'number' ? price.toFixed(2) : `${price.min} to ${price.max}`;
  return html`<tr><td><code>${id}</code></td><td>${name}</td><td><code>${operator}</code></td>
<td>${amount}</td></tr>`;
}
