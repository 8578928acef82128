import { readLedgerHistory } from '../../db/ledger/ledger.ts';
import { topupList } from '../../db/lists/topups.ts';
import { findTopupDetail, type TopupDetail } from '../../db/topups/topups.ts';
import { mayUse } from '../../domain/access.ts';
import { amountText, plainAmount } from '../../domain/money.ts';
import { isErased, maskStored, parseMsisdn } from '../../domain/phone.ts';
import { refuseUnfailed, type TopupStatus } from '../../domain/topup.ts';
import { hasBegun } from '../../operations/run-once.ts';
import { retryOnce } from '../../operations/topups.ts';
import { type Html, html, phrase } from '../../rendering/html.ts';
import { problems } from '../answers.ts';
import { sentence } from '../language/language.ts';
import {
  ledgerHistory,
  productOf,
  stateOptions,
  topupBadge,
  topupState,
  topupStates,
} from '../layout/labels.ts';
import {
  badge,
  emptyState,
  facts,
  field,
  message,
  money,
  onceField,
  onceKey,
  questionPage,
  stateWord,
  table,
  textColumn,
  time,
} from '../layout/parts.ts';
import {
  type AccountRequest,
  idOf,
  type PageAnswer,
  PORTAL_PATH,
  portal,
  redirect,
} from '../page.ts';
import { listedTime, listFilters, listPages } from './lists.ts';
import { callerOf, failureNotice, recordOperation, refusedPage } from './operate.ts';

/** The states of top-ups whose money is on hold. */
export const TOPUPS_UNDERWAY = 'PROCESSING,UNKNOWN';

/** A partner's top-ups, newest first. */
export const topupPages = listPages({
  path: '/top-ups',
  kind: 'partner',
  title: 'Top-ups',
  intro: html`<p>Airtime and packages that you have sent, newest first. A failed top-up was not charged,
and it can be retried.</p>`,
  list: topupList,
  filters: {
    state: listFilters.oneOf('State', 'status', [
      ...stateOptions(topupStates),
      [TOPUPS_UNDERWAY, 'In progress or unknown'],
    ]),
    kind: listFilters.oneOf('Kind', 'kind', [
      ['AIRTIME', 'Airtime'],
      ['PACKAGE', 'Package'],
    ]),
    from: listFilters.fromDay('Sent from', 'createdAt'),
    to: listFilters.toDay('Sent to'),
  },
  fields: [
    {
      title: 'Transaction',
      phone: 'head',
      value: ({ id }) => html`<a href="${PORTAL_PATH}/top-ups/${id}">${id}</a>`,
      file: 'id',
    },
    listedTime('createdAt', 'Sent'),
    {
      title: 'What',
      phone: 'plain',
      value: productOf,
      file: ({ kind, productName }) =>
        kind === 'AIRTIME' ? 'Airtime' : (productName ?? 'Package'),
    },
    {
      title: 'Number',
      phone: 'plain',
      value: ({ msisdn }) => maskStored(msisdn),
      file: ({ msisdn }) => maskStored(msisdn),
    },
    {
      title: 'State',
      phone: 'plain',
      value: topupBadge,
      file: (topup) => stateWord(topupState(topup)),
    },
    {
      title: 'Amount, ETB',
      phone: 'figure etb',
      value: ({ amount: charged }) => (charged === null ? '–' : amountText(charged)),
      align: 'right',
      fileTitle: 'Amount (ETB)',
      file: ({ amount: charged }) => charged && plainAmount(charged),
    },
    { title: 'Provider’s reference', file: 'providerReference' },
    { title: 'Message', file: 'message' },
  ],
  nothingYet: 'Top-ups appear here as soon as somebody sends one, or your server sends one.',
});

/** The title of the page where a retry is refused, before or after the form is sent. */
const NOT_RETRIED = 'The top-up was not retried';

/** The top-up of the path; undefined where it is not the company's. */
const topupOf = (request: AccountRequest): Promise<TopupDetail | undefined> =>
  findTopupDetail(request.services.database, request.session.company.id, idOf(request));

/** The facts of the question of a retry: the number of attempts, which decides who gets it, and the present price. */
const askedAbout = ({ attempts, amountOfRetry }: TopupDetail): string =>
  `${attempts.length} ${amountOfRetry}`;

async function retryPage(
  request: AccountRequest,
  { wrong, hasChanged }: { readonly wrong?: string; readonly hasChanged?: true } = {},
): Promise<PageAnswer> {
  const topup = await topupOf(request);
  if (!topup) return problems.notFound;
  const back = `${PORTAL_PATH}/top-ups/${topup.id}`;
  if (topup.status !== 'FAILED')
    return refusedPage({ title: NOT_RETRIED, refusal: refuseUnfailed(topup.status), back });
  const isGone = isErased(topup.msisdn);
  return questionPage(request, {
    title: 'Retry a top-up',
    status: hasChanged ? 409 : wrong === undefined ? undefined : 422,
    heading: html`Retry top-up ${topup.id}?`,
    text: html`${
      hasChanged &&
      message(
        'warning',
        html`<strong>Another attempt was made, or the price has changed.</strong> Nothing was sent.`,
      )
    }<p>${productOf(topup)} is sent once more to ${
      isGone ? phrase('the number that you enter') : maskStored(topup.msisdn)
    }. ${
      topup.amountOfRetry === null ? phrase('Its price') : money(topup.amountOfRetry)
    } is put on hold in your airtime wallet. It is charged when the top-up is delivered, and returned when it
fails again.</p>`,
    fields: html`${onceField()}<input type="hidden" name="about" value="${askedAbout(topup)}">${field(
      {
        name: 'msisdn',
        label: isGone ? 'Phone number' : 'Another number',
        hint: isGone
          ? 'The number of this top-up was erased. A package needs a number of the same operator.'
          : 'Empty: the same number. A package needs a number of the same operator.',
        error: wrong,
        maximumLength: 32,
        ...(!isGone && { isOptional: true }),
      },
    )}
`,
    button: 'Retry the top-up',
    back,
  });
}

const UNREADABLE_NUMBER = 'Enter a mobile number, such as 0911234567 or +251911234567.';

/** The number of a form; null for the same number, and undefined for a text that is none. */
function readNumber({ form }: AccountRequest): string | null | undefined {
  const written = form.text('msisdn').trim();
  return written === '' ? null : parseMsisdn(written);
}

/** Says what a retry does with the money, asks for the number, and retries a failed top-up. */
export const retryTopupPages = portal.asked({
  path: '/top-ups/:id/retry',
  needs: 'operate',
  confirmation(request) {
    const msisdn = readNumber(request);
    if (msisdn === undefined) return retryPage(request, { wrong: UNREADABLE_NUMBER });
    return msisdn === null
      ? html`You are about to retry top-up ${idOf(request)}.`
      : html`You are about to retry top-up ${idOf(request)} to ${msisdn}.`;
  },
  kind: 'partner',
  ask: (request) => retryPage(request),
  async handle(request) {
    const [transactionId, key] = [idOf(request), onceKey(request)];
    if (key === undefined) return problems.invalid;
    const { services, form } = request;
    const company = callerOf(request);
    const msisdn = readNumber(request);
    if (msisdn === undefined) return retryPage(request, { wrong: UNREADABLE_NUMBER });
    const topup = await topupOf(request);
    if (!topup) return problems.notFound;
    const isAsAsked = topup.status !== 'FAILED' || form.text('about') === askedAbout(topup);
    // A form that is sent again gets the answer of its retry.
    if (!isAsAsked && !(await hasBegun(services, { company, kind: 'retry-topup', key })))
      return retryPage(request, { hasChanged: true });
    await recordOperation(request, 'retry top-up', {
      transactionId,
      isOtherNumber: msisdn !== null,
    });
    const retry = { transactionId, msisdn };
    const answer = await retryOnce(services, { company, key, content: retry, retry });
    const to = `${PORTAL_PATH}/top-ups/${transactionId}`;
    if ('accepted' in answer)
      return redirect(to, 'The retry was accepted. Its result is not known yet.');
    const { result } = answer;
    if (result.ok) return redirect(to, 'The top-up was delivered.');
    // An attempt has failed, and the page of the top-up says how it stands now.
    if (result.transactionId !== undefined) return redirect(to, failureNotice(result));
    return refusedPage({ title: NOT_RETRIED, refusal: result, back: to });
  },
});

/** One top-up with its attempts and its transfers. */
export const showTopup = portal.page({
  path: '/top-ups/:id',
  needs: 'read',
  kind: 'partner',
  async handle(request) {
    const topup = await topupOf(request);
    if (!topup) return problems.notFound;
    const { services, session } = request;
    const operationIds = topup.attempts.map(({ operationId }) => operationId);
    const moves = await readLedgerHistory(services.database, session.company.id, operationIds);
    return {
      kind: 'page',
      title: sentence('Top-up {1}', topup.id),
      content: html`<p><a href="${PORTAL_PATH}/top-ups">All top-ups</a></p>
<h1>Top-up ${topup.id} ${topupBadge(topup)}</h1>
<p>${phrase(meaningOf(topup))}${topup.message && html` <span class="quiet" lang="en">${topup.message}</span>`}</p>
<section class="card"><h2>The top-up</h2>
${facts({
  What: productOf(topup),
  Amount: topup.amount === null ? phrase('Known once it is sent') : money(topup.amount),
  Number: maskStored(topup.msisdn),
  'Provider’s reference': topup.providerReference
    ? html`<code>${topup.providerReference}</code>`
    : '–',
  Sent: time(topup.createdAt),
  'Last change': time(topup.updatedAt),
})}
${
  topup.status === 'FAILED' &&
  mayUse(session.role, 'operate') &&
  html`<p class="actions"><a class="button secondary" href="${PORTAL_PATH}/top-ups/${topup.id}/retry">Retry the
top-up</a></p>`
}</section>
<section class="card"><h2>Attempts</h2>${attempts(topup)}</section>
<section class="card"><h2>How the money moved</h2>
${ledgerHistory(moves, emptyState('Nothing was charged', 'No money moved for this top-up.'))}</section>`,
    };
  },
});

const meanings: Readonly<Record<TopupStatus, string>> = {
  PENDING: 'It was accepted and is about to be sent.',
  PROCESSING: 'It was sent. The money is on hold until the provider answers.',
  UNKNOWN: 'The provider has not reported the result yet. The money stays on hold until it does.',
  SUCCESS: 'It was delivered and charged.',
  FAILED: 'It failed, and nothing was charged. It can be retried.',
};

function meaningOf({ status, charged, lateDelivery, reversal }: TopupDetail): string {
  const wallet = charged ? 'Your wallet was charged.' : 'Your wallet was not charged.';
  if (lateDelivery)
    return `It failed at first, and the provider delivered it later. ${wallet} It cannot be retried.`;
  if (!reversal) return meanings[status];
  return reversal.isCredited
    ? 'The provider reversed it after the delivery. The money was returned to your wallet, and it can be retried.'
    : 'It was delivered and charged, and the provider reversed it later. The settlement is still open; until then it cannot be retried.';
}

const attemptStates = {
  HELD: badge('warning', 'In progress'),
  POSTED: badge('success', 'Delivered'),
  VOIDED: badge('danger', 'Failed'),
} as const;

const attempts = (topup: TopupDetail): Html =>
  table(
    'Attempts',
    topup.attempts,
    [
      textColumn('Attempt', 'attempt'),
      textColumn('Sent', ({ at }) => time(new Date(at))),
      textColumn('Number', ({ msisdn }) => maskStored(msisdn)),
      textColumn(
        'State',
        ({ status, lateAt, takenBackAt }) =>
          html`${attemptStates[status]}${
            lateAt && html` The provider reported a delivery later.`
          }${takenBackAt && html` The provider reversed it later.`}`,
      ),
      textColumn('Our reference', ({ reference }) => html`<code>${reference}</code>`),
      textColumn('The provider says', ({ providerReference, providerMessage, notDoneBy }) =>
        notDoneBy === 'staff'
          ? phrase('Support settled it as not delivered.')
          : html`${providerReference && html`<code>${providerReference}</code> `}<span lang="en">${providerMessage}</span>`,
      ),
    ],
    emptyState('None yet', 'It has not been sent.'),
  );
