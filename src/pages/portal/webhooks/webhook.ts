import {
  type ListedDelivery,
  listDeliveries,
  MOST_SENT_AGAIN,
  type SentAgain,
} from '../../../db/webhooks/deliveries.ts';
import type { WebhookEndpoint } from '../../../db/webhooks/endpoints.ts';
import { TEST_EVENT_TYPE } from '../../../domain/events.ts';
import { instantOf } from '../../../domain/local-time.ts';
import { sendWebhookAgain } from '../../../operations/webhooks.ts';
import { type Html, html } from '../../../rendering/html.ts';
import { problems } from '../../answers.ts';
import { timeZone } from '../../language/time-zone.ts';
import { webhookState } from '../../layout/company-parts.ts';
import {
  asSent,
  badge,
  DOWNLOAD_ROWS,
  daySchema,
  emptyState,
  facts,
  field,
  message,
  postForm,
  table,
  textColumn,
  time,
  type WrongFields,
} from '../../layout/parts.ts';
import { type AccountRequest, type PageAnswer, PORTAL_PATH, portal, redirect } from '../../page.ts';
import { changePages } from '../../session/changes.ts';
import { csvFile } from '../lists.ts';
import { WEBHOOKS_PATH, webhookOf } from './webhooks.ts';

const ROWS = 25;
/** Until the answer to a test event is shown. */
const REFRESH_SECONDS = 2;

/** One webhook: its state, what can be done, and its deliveries with the receiver's answers. */
export const showWebhook = portal.page({
  path: '/webhooks/:id',
  refreshes: true,
  needs: 'develop',
  handle: webhookPage,
});

/** The page with the problem of a sent form. */
async function webhookPage(request: AccountRequest, wrong?: WrongFields): Promise<PageAnswer> {
  const { services, query } = request;
  const webhook = await webhookOf(request, services.database);
  if (webhook === undefined) return problems.notFound;
  const before = /^[1-9][0-9]{0,14}$/.exec(query.get('before') ?? '')?.[0];
  const isOnlyFailed = query.get('state') === 'failed';
  const rows = await listDeliveries(services.database, webhook.id, {
    before: before === undefined ? undefined : Number(before),
    status: isOnlyFailed ? 'FAILED' : undefined,
    limit: ROWS + 1,
  });
  return {
    kind: 'page',
    title: 'Webhook',
    ...(wrong
      ? { status: 422 }
      : isTesting(webhook, rows)
        ? { refreshSeconds: REFRESH_SECONDS }
        : {}),
    content: html`<p><a href="${WEBHOOKS_PATH}">All webhooks</a></p>
<h1>Webhook</h1>
<section class="card"><h2><code>${webhook.url}</code></h2>
${
  webhook.status === 'SWITCHED_OFF' &&
  message(
    'danger',
    html`<strong>Switched off.</strong> ${webhook.statusReason} Mend your server, then resume.`,
  )
}
${facts({
  State: webhookState(webhook),
  Since: time(webhook.statusSince),
  Events: webhook.types?.join(', ') ?? 'All',
  Description: webhook.description || '–',
  Added: time(webhook.createdAt),
})}
${actions(request, webhook)}</section>
${deliveriesPart(request, { webhook, rows, isOnlyFailed })}
${sendAgainPart(request, webhook, wrong)}`,
  };
}

/** Whether a test event is about to have its only attempt; that of a paused webhook waits until somebody resumes it. */
const isTesting = ({ status }: WebhookEndpoint, rows: readonly ListedDelivery[]): boolean =>
  status === 'ACTIVE' &&
  rows.some((row) => row.type === TEST_EVENT_TYPE && row.status === 'PENDING');

/** A form of one button. */
const button = (
  request: AccountRequest,
  action: string,
  label: Html | string,
  fields?: Html,
): Html =>
  postForm(
    request,
    action,
    html`${fields}<button class="secondary">${label}</button>`,
    'one-button',
  );

function actions(request: AccountRequest, { id, status }: WebhookEndpoint): Html {
  const path = `${WEBHOOKS_PATH}/${id}`;
  return html`<div class="actions">${
    status === 'ACTIVE'
      ? html`${button(request, `${path}/test`, 'Send a test event')}
${button(request, `${path}/pause`, 'Pause')}`
      : button(request, `${path}/resume`, 'Resume')
  }
<a class="button secondary" href="${path}/rotate">Rotate the secret</a>
<a class="button danger" href="${path}/remove">Remove</a></div>`;
}

function deliveriesPart(
  request: AccountRequest,
  shown: {
    readonly webhook: WebhookEndpoint;
    readonly rows: readonly ListedDelivery[];
    readonly isOnlyFailed: boolean;
  },
): Html {
  const { webhook, isOnlyFailed } = shown;
  const path = `${WEBHOOKS_PATH}/${webhook.id}`;
  const rows = shown.rows.slice(0, ROWS);
  const last = rows.at(-1);
  const state = isOnlyFailed ? 'state=failed&' : '';
  return html`<section class="card" aria-labelledby="deliveries"><h2 id="deliveries">Deliveries</h2>
<p>${
    isOnlyFailed
      ? html`<a href="${path}">Show all</a>`
      : html`<a href="${path}?state=failed">Show only those that failed</a>`
  }</p>
${table(
  'Deliveries',
  rows,
  [
    textColumn(
      'Event',
      ({ type, subject }) => html`<code>${type}</code><br>${subjectLink(request, subject)}`,
    ),
    textColumn('Made', 'createdAt'),
    textColumn('State', (row) => deliveryState(webhook, row)),
    textColumn('Last answer', answerOf),
    textColumn(
      'Again',
      (row) =>
        webhook.status === 'ACTIVE' &&
        row.status !== 'PENDING' &&
        row.eventNumber !== null &&
        button(
          request,
          `${path}/send-again`,
          html`Send again<span class="visually-hidden"> ${row.type} of ${row.subject}</span>`,
          html`<input type="hidden" name="delivery" value="${row.id}">`,
        ),
    ),
  ],
  emptyState('None', 'Send a test event to see what your server answers.'),
)}
${
  rows.length > 0 &&
  html`<p><a href="${path}/download${isOnlyFailed ? '?state=failed' : ''}">Download the newest
${DOWNLOAD_ROWS.toLocaleString('en')} as CSV</a></p>`
}
${
  shown.rows.length > ROWS &&
  last &&
  html`<p class="actions"><a class="button secondary" href="${path}?${state}before=${last.id}">Older</a></p>`
}</section>`;
}

/** The subject of an event, with a link to its page where the company has one. */
function subjectLink({ session }: AccountRequest, subject: string): Html {
  const [, kind = '', id] = /^(voucher|top-up):(\d+)$/.exec(subject) ?? [];
  const path = { voucher: 'vouchers', 'top-up': 'top-ups' }[kind];
  return path && session.company.kind === 'partner'
    ? html`<a href="${PORTAL_PATH}/${path}/${id}">${subject}</a>`
    : html`${subject}`;
}

function deliveryState(
  webhook: WebhookEndpoint,
  { status, attempts, nextAttemptAt }: ListedDelivery,
): Html {
  const tries = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
  if (status === 'DELIVERED') return html`${badge('success', 'Delivered')}<br>${tries}`;
  if (status === 'FAILED') return html`${badge('danger', 'Failed')}<br>${tries}`;
  if (webhook.status !== 'ACTIVE')
    return html`${badge('warning', 'Waiting')}<br>until you resume the webhook`;
  return html`${badge('warning', 'Waiting')}<br>${
    attempts === 0 ? 'soon' : html`${tries}; next at ${time(nextAttemptAt)}`
  }`;
}

function answerOf({ lastStatusCode, lastMilliseconds, lastProblem, lastAnswer }: ListedDelivery) {
  if (lastMilliseconds === null) return '–';
  return html`${lastStatusCode !== null && html`<strong>${lastStatusCode}</strong> `}in ${lastMilliseconds} ms${
    lastProblem !== null && html`<br>${lastProblem}`
  }${
    lastAnswer !== null &&
    html`<details><summary>Text of the answer</summary><p><code>${lastAnswer}</code></p></details>`
  }`;
}

function sendAgainPart(request: AccountRequest, webhook: WebhookEndpoint, wrong?: WrongFields) {
  if (webhook.status !== 'ACTIVE') return undefined;
  const action = `${WEBHOOKS_PATH}/${webhook.id}/send-again`;
  const sent = asSent(request, wrong);
  return html`<section class="card"><h2>Send again</h2>
<p>Your server discards events that it already has by their id.</p>
${button(request, action, 'Send all that failed', html`<input type="hidden" name="failed" value="yes">`)}
${postForm(
  request,
  action,
  html`${field({
    ...sent('from'),
    label: 'Made from',
    type: 'datetime-local',
    hint: `In the time zone ${timeZone().replaceAll('_', ' ')}.`,
    maximumLength: 20,
  })}
${field({
  ...sent('to'),
  label: 'Made before',
  type: 'datetime-local',
  maximumLength: 20,
})}
<button class="secondary">Send those of this time</button>`,
)}</section>`;
}

const NO_TIME = 'Enter two times such as 2026-11-20 08:00, the earlier one first.';

/** Delivers one event again, all that failed, or those of a time. */
export const sendWebhookAgainForm = changePages(portal, {
  path: '/webhooks/:id/send-again',
  needs: 'develop',
  find: webhookOf,
  read(request) {
    const which = selectionOf(request);
    return which ? { value: which } : { wrong: { from: NO_TIME } };
  },
  action: 'send-again webhook',
  again: webhookPage,
  async work(transaction, { services }, { subject, value: which }) {
    const details = await sendWebhookAgain(transaction, subject, which, services.settings);
    return { result: details?.sent ?? 0, details };
  },
  done: ({ subject, result: sent }) => redirect(`${WEBHOOKS_PATH}/${subject.id}`, noticeOf(sent)),
});

function noticeOf(sent: number): string {
  if (sent === 0)
    return 'Nothing was sent again: no delivery matches, or the webhook is not active.';
  const more =
    sent === MOST_SENT_AGAIN ? ' There may be more: send again once these are done.' : '';
  return `Events that are sent again: ${sent.toLocaleString('en')}.${more}`;
}

function selectionOf({ form }: AccountRequest): SentAgain | undefined {
  if (form.text('failed') === 'yes') return { kind: 'failed' };
  const delivery = form.text('delivery');
  if (/^[0-9]{1,15}$/.test(delivery)) return { kind: 'one', deliveryId: Number(delivery) };
  const from = readTime(form.text('from'));
  const to = readTime(form.text('to'));
  return from && to && from < to ? { kind: 'time', from, to } : undefined;
}

/** A time to the minute in the zone of the page: as browsers send it, or with a space. */
function readTime(text: string): Date | undefined {
  const [, day, time] =
    /^(\d{4}-\d\d-\d\d)[ T]((?:[01]\d|2[0-3]):[0-5]\d)$/.exec(text.trim()) ?? [];
  if (day === undefined || time === undefined) return undefined;
  return daySchema.safeParse(day).success ? instantOf(`${day}T${time}`, timeZone()) : undefined;
}

/** The newest deliveries of a webhook with the receiver's answers, as a file, newest first. */
export const downloadDeliveries = portal.page({
  path: '/webhooks/:id/download',
  needs: 'develop',
  async handle(request): Promise<PageAnswer> {
    const { services, session, query } = request;
    const webhook = await webhookOf(request, services.database);
    if (webhook === undefined) return problems.notFound;
    const rows = await services.lists.read(session.company, (database) =>
      listDeliveries(database, webhook.id, {
        status: query.get('state') === 'failed' ? 'FAILED' : undefined,
        limit: DOWNLOAD_ROWS,
      }),
    );
    if (!rows) return problems.busy;
    return csvFile(`webhook-${webhook.id}-deliveries`, rows, {
      Made: 'createdAt',
      Event: 'type',
      Subject: 'subject',
      Number: 'eventNumber',
      State: ({ status }) => states[status],
      Attempts: 'attempts',
      'Last attempt': 'lastAttemptAt',
      'Status code': 'lastStatusCode',
      Milliseconds: 'lastMilliseconds',
      Problem: 'lastProblem',
      Answer: 'lastAnswer',
    });
  },
});

/** The states of deliveries, as the page of the webhook names them. */
const states = { DELIVERED: 'Delivered', FAILED: 'Failed', PENDING: 'Waiting' } as const;
