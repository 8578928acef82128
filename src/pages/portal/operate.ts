import { addPersonEntry } from '../../db/access/calls.ts';
import { messageOf, type Reason, type Refusal } from '../../domain/refusals.ts';
import type { Caller } from '../../domain/vouchers/voucher.ts';
import { type Html, html, phrase } from '../../rendering/html.ts';
import { language } from '../language/language.ts';
import { message } from '../layout/parts.ts';
import type { AccountRequest, PageAnswer } from '../page.ts';

/** The company as the caller of an operation; the authority is the person's account. */
export const callerOf = ({ session }: AccountRequest): Caller => ({
  ...session.company,
  credential: { portalAccountId: session.accountId },
});

/**
 * Records who asked for an operation on what belongs to the company, before it begins: its workflow may outlive this
 * process. A form that is sent twice has two entries and one effect.
 */
export const recordOperation = (
  { services, session, sourceAddress }: AccountRequest,
  action: string,
  details: Readonly<Record<string, unknown>>,
): Promise<void> =>
  services.database
    .transaction()
    .execute((transaction) =>
      addPersonEntry(transaction, session, action, { ...details, sourceAddress }),
    );

/** What a form says that had its effect before. */
export const SENT_AGAIN = 'This form was sent more than once. It sold once.';

/** The notice about a top-up whose attempt has failed; a later attempt may have delivered it. */
export const failureNotice = ({ reason }: Refusal): string =>
  reason === 'topup-failed' ? 'The top-up was not delivered.' : messageOf(reason);

/** The page of an operation that was refused, or whose outcome is not known yet. */
export const refusedPage = (page: {
  readonly title: string;
  readonly refusal: Refusal;
  readonly back: string;
}): PageAnswer => ({
  kind: 'page',
  title: page.title,
  status: page.refusal.reason === 'still-processing' ? 202 : 409,
  content: html`<h1>${phrase(page.title)}</h1>
<section class="card">${
    page.refusal.reason === 'still-processing'
      ? message('notice', 'It was accepted, and it still runs. Look again in a minute.')
      : message('danger', refusalSentence(page.refusal))
  }
<p><a class="button" href="${page.back}">Back</a></p></section>`,
});

/** The API explains these reasons in terms of keys and tokens. */
const portalWords: Readonly<Partial<Record<Reason, string>>> = {
  'token-invalid': 'Your role no longer includes this. Nothing was changed.',
  'key-reused':
    'This form was sent before, with other entries. Open the page again and fill it in.',
};

/** The reason of a refusal as a sentence. */
export function refusalSentence(refusal: Refusal): Html {
  const instead = portalWords[refusal.reason];
  if (instead !== undefined) return phrase(instead);
  return html`${refusalWords(refusal)}${language() === 'am' ? '።' : '.'}`;
}

/** The reason of a refusal; its detail is that of the API, in English. */
export const refusalWords = ({ reason, detail }: Pick<Refusal, 'reason' | 'detail'>): Html =>
  html`${phrase(messageOf(reason))}${detail && html`: <span lang="en">${detail}</span>`}`;
