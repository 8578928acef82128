import { readLedgerHistory } from '../../../db/ledger/ledger-history.ts';
import type { TopupStatus } from '../../../db/schema/all-tables.ts';
import { findTopupDetail, type TopupDetail } from '../../../db/topups/topup-detail.ts';
import { mayUse } from '../../../domain/access/portal-role.ts';
import { maskStored } from '../../../domain/phone.ts';
import { type Html, html, phrase } from '../../../rendering/html.ts';
import { sentence } from '../../language/language.ts';
import { facts } from '../../layout/facts.ts';
import { money } from '../../layout/money.ts';
import { badge, emptyState, table, time } from '../../layout/parts.ts';
import { ledgerHistory } from '../../layout/transfer-labels.ts';
import { type AccountPage, idOf, PORTAL_PATH } from '../../page.ts';
import { problems } from '../../problem-page.ts';
import { productOf, topupBadge } from './top-ups.ts';

const NOTHING_MOVED = emptyState('Nothing was charged', 'No money moved for this top-up.');

/** One top-up with its attempts and its transfers. */
export const showTopUp: AccountPage = {
  method: 'GET',
  path: '/top-ups/:id',
  access: 'account',
  needs: 'read',
  kind: 'partner',
  async handle(request) {
    const { services, session } = request;
    const partnerId = session.company.id;
    const topup = await findTopupDetail(services.database, partnerId, idOf(request));
    if (!topup) return problems.notFound;
    const operationIds = topup.attempts.map(({ operationId }) => operationId);
    const moves = await readLedgerHistory(services.database, partnerId, operationIds);
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
  'Provider’s reference': topup.provider_reference
    ? html`<code>${topup.provider_reference}</code>`
    : '–',
  Sent: time(topup.created_at),
  'Last change': time(topup.updated_at),
})}
${
  topup.status === 'FAILED' &&
  mayUse(session.role, 'operate') &&
  html`<p class="actions"><a class="button secondary" href="${PORTAL_PATH}/top-ups/${topup.id}/retry">Retry the
top-up</a></p>`
}</section>
<section class="card"><h2>Attempts</h2>${attempts(topup)}</section>
<section class="card"><h2>How the money moved</h2>
${moves.length === 0 ? NOTHING_MOVED : ledgerHistory(moves)}</section>`,
    };
  },
};

const meanings: Readonly<Record<TopupStatus, string>> = {
  PENDING: 'It was accepted and is about to be sent.',
  PROCESSING: 'It was sent. The money is on hold until the provider answers.',
  UNKNOWN: 'The provider has not reported the result yet. The money stays on hold until it does.',
  SUCCESS: 'It was delivered and charged.',
  FAILED: 'It failed, and nothing was charged. It can be retried.',
};

function meaningOf({ status, charged, late_delivery, reversal }: TopupDetail): string {
  const wallet = charged ? 'Your wallet was charged.' : 'Your wallet was not charged.';
  if (late_delivery)
    return `It failed at first, and the provider delivered it later. ${wallet} It cannot be retried.`;
  if (!reversal) return meanings[status];
  return reversal.is_credited
    ? 'The provider reversed it after the delivery. The money was returned to your wallet, and it can be retried.'
    : 'It was delivered and charged, and the provider reversed it later. The settlement is still open; until then it cannot be retried.';
}

const attemptStates = {
  HELD: badge('warning', 'In progress'),
  POSTED: badge('success', 'Delivered'),
  VOIDED: badge('danger', 'Failed'),
} as const;

const attempts = (topup: TopupDetail): Html =>
  topup.attempts.length === 0
    ? emptyState('None yet', 'It has not been sent.')
    : table('Attempts', topup.attempts, [
        { title: 'Attempt', value: ({ attempt }) => attempt },
        { title: 'Sent', value: ({ at }) => time(new Date(at)) },
        { title: 'Number', value: ({ msisdn }) => maskStored(msisdn) },
        {
          title: 'State',
          value: ({ status, lateAt, takenBackAt }) =>
            html`${attemptStates[status]}${
              lateAt && html` The provider reported a delivery later.`
            }${takenBackAt && html` The provider reversed it later.`}`,
        },
        { title: 'Our reference', value: ({ reference }) => html`<code>${reference}</code>` },
        {
          title: 'The provider says',
          value: ({ providerReference, providerMessage, notDoneBy }) =>
            notDoneBy === 'staff'
              ? phrase('Support settled it as not delivered.')
              : html`${providerReference && html`<code>${providerReference}</code> `}<span lang="en">${providerMessage}</span>`,
        },
      ]);
