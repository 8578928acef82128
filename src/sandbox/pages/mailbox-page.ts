import type { Context } from 'koa';
import { type Html, html } from '../../rendering/html.ts';
import type { Books } from '../books.ts';
import type { ReceivedFile, ReceivedMail } from '../received.ts';
import { answerPage } from './page.ts';

const SHOWN_ADDRESSES = 50;

/** An address's mail, newest first; without an address, the addresses with mail. */
export function answerMailboxPage(ctx: Context, books: Books, to: string | undefined): void {
  if (to === undefined) answerMailboxList(ctx, books);
  else answerMailbox(ctx, books, to);
}

function answerMailbox(ctx: Context, books: Books, to: string): void {
  const mails = books.mails(to);
  const content = html`<p><a href="/mailbox">All mailboxes</a></p>
<main>
<h1>Mailbox ${to}</h1>
${addressForm(to)}
<p class="quiet">Newest first. The page renews itself every 5 seconds.</p>
${mails.length === 0 ? html`<p>No mail yet.</p>` : html`<ul>${mails.map(letter)}</ul>`}
</main>`;
  answerPage(ctx, { title: `Mailbox ${to}`, content, refreshSeconds: 5 });
}

function answerMailboxList(ctx: Context, books: Books): void {
  const addresses = [...new Set(books.mails().map(({ to }) => to))].slice(0, SHOWN_ADDRESSES);
  const links = addresses.map(
    (address) => html`<li><a href="/mailbox?to=${encodeURIComponent(address)}">${address}</a></li>`,
  );
  const content = html`<p><a href="/">Sandbox</a></p>
<main>
<h1>Mailboxes</h1>
${addressForm('')}
${links.length === 0 ? html`<p>Nobody has received mail yet.</p>` : html`<ul>${links}</ul>`}
</main>`;
  answerPage(ctx, { title: 'Mailboxes', content });
}

const addressForm = (address: string) => html`<form action="/mailbox" method="get">
<label>E-mail address
<input name="to" type="email" value="${address}" required></label>
<button>Show mail</button>
</form>`;

const letter = (mail: ReceivedMail) => html`<li class="message">
<strong>${mail.subject}</strong>
<p class="quiet">From ${mail.from}</p>
<p>${withLinks(mail.text)}</p>
${mail.attachments.length > 0 && html`<ul>${mail.attachments.map((file, place) => attached(mail, file, place))}</ul>`}
<time class="quiet" datetime="${mail.receivedAt}">${mail.receivedAt.slice(0, 10)}
${mail.receivedAt.slice(11, 19)} UTC</time>
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
