import type { Context } from 'koa';
import { html } from '../../rendering/html.ts';
import type { Books } from '../books.ts';
import { canonicalNumber } from '../phone-number.ts';
import type { ReceivedMessage } from '../received.ts';
import { answerPage } from './page.ts';

const shownNumbers = 50;

/** A phone's messages, newest first; without a number, the phones with messages. */
export function answerPhonePage(ctx: Context, books: Books, to: string | undefined): void {
  if (to === undefined) answerPhoneList(ctx, books);
  else answerPhone(ctx, books, to);
}

function answerPhone(ctx: Context, books: Books, to: string): void {
  const number = canonicalNumber(to);
  const messages = books.messages(number);
  const content = html`<p><a href="/phone">All phones</a></p>
<main>
<h1>Phone ${number}</h1>
${numberForm(number)}
<p class="quiet">Newest first. The page renews itself every 5 seconds.</p>
${messages.length === 0 ? html`<p>No messages yet.</p>` : html`<ul>${messages.map(bubble)}</ul>`}
</main>`;
  answerPage(ctx, { title: `Phone ${number}`, content, refreshSeconds: 5 });
}

function answerPhoneList(ctx: Context, books: Books): void {
  const numbers = [...new Set(books.messages().map(({ to }) => to))].slice(0, shownNumbers);
  const links = numbers.map(
    (number) => html`<li><a href="/phone?to=${encodeURIComponent(number)}">${number}</a></li>`,
  );
  const content = html`<p><a href="/">Sandbox</a></p>
<main>
<h1>Phones</h1>
${numberForm('')}
${links.length === 0 ? html`<p>No phone has received a message yet.</p>` : html`<ul>${links}</ul>`}
</main>`;
  answerPage(ctx, { title: 'Phones', content });
}

const numberForm = (number: string) => html`<form action="/phone" method="get">
<label>Phone number (09…, 2519… or +2519…)
<input name="to" type="tel" value="${number}" required></label>
<button>Show messages</button>
</form>`;

const bubble = (message: ReceivedMessage) => html`<li class="message">
<strong>${message.from}</strong>
<p>${message.text}</p>
<time class="quiet" datetime="${message.receivedAt}">${timeOf(message)}</time>
</li>`;

const timeOf = ({ receivedAt }: ReceivedMessage) =>
  `${receivedAt.slice(0, 10)} ${receivedAt.slice(11, 19)} UTC`;
