import type { Context } from 'koa';
import { type Html, html } from '../../rendering/html.ts';
import type { BooksRow } from '../accepted-requests.ts';
import type { Books } from '../books.ts';
import type { ReceivedMessage } from '../received.ts';
import { answerPage } from './page.ts';

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
    : html`<div class="table"><table>
<thead><tr><th scope="col">UTC</th><th scope="col">Provider</th><th scope="col">What</th>
<th scope="col">To</th><th scope="col">Content</th><th scope="col">Status</th></tr></thead>
<tbody>${happenings.map(row)}</tbody>
</table></div>`
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

const row = ({ at, provider, kind, to, what, status }: Happening): Html => html`<tr>
<td><time datetime="${at}">${at.slice(11, 19)}</time></td><td>${provider}</td><td>${kind}</td>
<td><a href="/phone?to=${encodeURIComponent(to)}">${to}</a></td><td>${what}</td><td>${status}</td></tr>`;
