import type { FoundCompany } from '../../../db/catalogue/companies.ts';
import {
  MOST_SENT_AGAIN,
  type ShownAttempt,
  type WebhookHealth,
  webhookHealth,
} from '../../../db/webhooks/deliveries.ts';
import {
  BY_OPERATOR,
  findWebhook,
  listWebhooks,
  type WebhookEndpoint,
} from '../../../db/webhooks/endpoints.ts';
import { type AccessChangeName, PORTAL_ACTOR } from '../../../domain/access.ts';
import { webhookHost } from '../../../domain/events.ts';
import type { StaffNeed } from '../../../domain/staff.ts';
import { sendWebhookAgain, switchWebhook, testWebhook } from '../../../operations/webhooks.ts';
import { type Html, html } from '../../../rendering/html.ts';
import {
  TEST_NOT_SENT,
  TEST_SENT,
  type WebhookWork,
  webhookState,
} from '../../layout/company-parts.ts';
import { postForm, textColumn, time } from '../../layout/parts.ts';
import { readId, redirect, type StaffPage, type StaffRequest, staffMay } from '../../page.ts';
import { companyPath } from '../repair-parts.ts';
import { companyForms, declarePart } from './company-pages.ts';

type Webhook = WebhookEndpoint & { readonly health: WebhookHealth | undefined };

/** The meaning of a receiver's status for its company. */
const meanings: readonly (readonly [from: number, to: number, meaning: string])[] = [
  [401, 403, 'It does not accept us: the company checks its secret and its firewall.'],
  [404, 410, 'It has nothing at this address: the company corrects the address.'],
  [413, 413, 'The event is too large for it: the company raises its limit.'],
  [429, 429, 'It gets too many calls at once.'],
  [500, 599, 'Its own software failed: the company looks into its log.'],
];

/** When an attempt was, its answer, and what that means; never the text of the answer. */
const attempt = ({ type, at, statusCode, problem }: ShownAttempt): Html => {
  const [, , meaning] =
    meanings.find(([from, to]) => statusCode !== null && statusCode >= from && statusCode <= to) ??
    [];
  return html`<code>${type}</code> ${time(new Date(at))}<br>${
    problem ?? html`The receiver took it (${statusCode}).`
  }${meaning !== undefined && html` ${meaning}`}`;
};

/** The last attempt; after a success also the last one that failed, while the webhook counts as failing. */
const attempts = ({ health, failingSince }: Webhook): Html => {
  const { last, failed } = health ?? {};
  if (!last) return html`None yet`;
  const isOther = failed && last.problem === null && failingSince !== null;
  return html`${attempt(last)}${isOther && html`<br>Before: ${attempt(failed)}`}`;
};

const several = (count: number, one: string, many: string): string =>
  `${count.toLocaleString('en')}${count === MOST_SENT_AGAIN ? ' or more' : ''} ${count === 1 ? one : many}`;

/** Whether the service ends its pause; that of the company is for the company to end. */
const isOff = ({ status, statusReason }: WebhookEndpoint): boolean =>
  status === 'SWITCHED_OFF' || (status === 'DISABLED' && statusReason === BY_OPERATOR);

/** How many events are not delivered; a webhook that is off gets its events once it is resumed. */
const events = (webhook: Webhook): Html => {
  const { waiting = 0, givenUp = 0, attempts, nextAt } = webhook.health ?? {};
  const tried = attempts ?? 0;
  if (webhook.status !== 'ACTIVE')
    return html`They wait until ${isOff(webhook) ? 'an operator or ' : ''}the company resumes it.`;
  if (waiting + givenUp === 0) return html`None waits.`;
  return html`${
    waiting > 0 &&
    html`${several(waiting, 'event waits', 'events wait')}${
      tried > 0 &&
      html`, the next one after ${several(tried, 'attempt', 'attempts')}${nextAt && html`, at ${time(nextAt)}`}`
    }.`
  } ${givenUp > 0 && html`${several(givenUp, 'event was', 'events were')} given up.`}`;
};

/** The webhooks of a company by their hosts: path and query may hold a secret. */
export const webhooksPart = declarePart<Webhook>({
  path: '/webhooks',
  title: 'Webhooks',
  nothing: 'No server of the company is told of events.',
  async read({ services: { database } }, company, { limit, offset }) {
    // A company has a few.
    const rows = (await listWebhooks(database, company)).slice(offset, offset + limit);
    const health = await webhookHealth(
      database,
      rows.map(({ id }) => id),
    );
    return rows.map((row) => ({
      ...row,
      health: health.find(({ endpointId }) => endpointId === row.id),
    }));
  },
  changesSoon: (rows) => rows.some(({ health, status }) => status === 'ACTIVE' && health?.isBusy),
  columns: (request, company) => [
    textColumn(
      'Server',
      ({ id, url, description }) =>
        html`<code>${webhookHost(url)}</code> (${id})${description !== '' && html`<br>${description}`}`,
      'head',
    ),
    textColumn(
      'State',
      (one) =>
        html`${webhookState(one)}${one.status !== 'ACTIVE' && html`<br>${one.statusReason?.replace(PORTAL_ACTOR, '')}`}`,
      'plain',
    ),
    textColumn('Events', ({ types }) => types?.join(', ') ?? 'All', 'plain'),
    textColumn('Last attempt', attempts),
    textColumn('Not delivered', events),
    textColumn('Help', (one) => helpForm(request, company, one), 'plain'),
  ],
});

/** The buttons that help now, in one form. */
function helpForm(request: StaffRequest, company: FoundCompany, webhook: Webhook): Html | false {
  const possible = changes.filter(
    ({ needs, isPossible, isUseless }) =>
      staffMay(request, needs) && isPossible(webhook) && !isUseless?.(webhook.health),
  );
  const path = `${companyPath(company)}/webhooks/${webhook.id}`;
  return (
    possible.length > 0 &&
    postForm(
      request,
      `${path}/${possible[0]?.verb}`,
      html`${possible.map(
        ({ verb, button }) =>
          html`<button class="secondary" formaction="${path}/${verb}">${button}<span class="visually-hidden"> to ${webhookHost(webhook.url)}</span></button>`,
      )}`,
      'actions',
    )
  );
}

/** A change of a webhook, as its company and the command line make it. */
interface WebhookChange {
  /** Ends the address of its form. */
  readonly verb: string;
  readonly needs: StaffNeed;
  readonly action: AccessChangeName;
  readonly button: string;
  /** Begins with "You are about to". */
  readonly confirmed: string;
  isPossible(webhook: WebhookEndpoint): boolean;
  /** Whether there is nothing to do. */
  readonly isUseless?: (health: WebhookHealth | undefined) => boolean;
  readonly work: WebhookWork<StaffRequest>;
  readonly done: string;
  readonly notDone: string;
}

const isActive = ({ status }: WebhookEndpoint): boolean => status === 'ACTIVE';

const changes: readonly WebhookChange[] = [
  {
    verb: 'test',
    needs: 'ask',
    action: 'test webhook',
    button: 'Send a test event',
    confirmed: 'send a test event to',
    isPossible: isActive,
    work: testWebhook,
    done: TEST_SENT,
    notDone: TEST_NOT_SENT,
  },
  {
    verb: 'send',
    needs: 'ask',
    action: 'send-again webhook',
    button: 'Send the events now',
    confirmed: 'send the events that are not delivered to',
    isPossible: isActive,
    isUseless: (health) => health === undefined || health.waiting + health.givenUp === 0,
    work: (transaction, webhook, { services: { settings } }) =>
      sendWebhookAgain(transaction, webhook, { kind: 'undelivered' }, settings),
    done: 'The events are on their way. The answer appears below.',
    notDone: 'No event waits any more, or the webhook is not active.',
  },
  {
    verb: 'resume',
    needs: 'operate',
    action: 'resume webhook',
    button: 'Resume it, and send the events',
    confirmed: 'resume',
    isPossible: isOff,
    work: (transaction, webhook, { services: { settings } }) =>
      switchWebhook(transaction, webhook, { status: 'ACTIVE', reason: BY_OPERATOR }, settings),
    done: 'The webhook is active, and gets the events that it has missed.',
    notDone: 'It is active already, or the company has paused it.',
  },
];

const helpForms = (change: WebhookChange): readonly StaffPage[] =>
  companyForms({
    path: `/webhooks/:webhook/${change.verb}`,
    needs: change.needs,
    async find({ params }, company, database) {
      const webhook = await findWebhook(database, readId(params.webhook), company);
      return webhook && { webhook, company };
    },
    confirmed: ({ webhook: { url } }) =>
      html`You are about to ${change.confirmed} the webhook <code>${webhookHost(url)}</code>.`,
    action: change.action,
    async work(transaction, request, { subject: { webhook } }) {
      const details = change.isPossible(webhook)
        ? await change.work(transaction, webhook, request)
        : undefined;
      return { result: details ? change.done : change.notDone, details };
    },
    done: ({ subject: { company }, result: notice }) =>
      redirect(`${companyPath(company)}/webhooks`, notice),
  });

/** The forms that test a webhook, send its events now, and resume it. */
export const webhookForms: readonly StaffPage[] = changes.flatMap(helpForms);
