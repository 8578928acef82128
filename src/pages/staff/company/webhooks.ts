import {
  requestTestEvent,
  type ShownAttempt,
  type WebhookHealth,
  webhookHealth,
} from '../../../db/webhooks/deliveries.ts';
import { findWebhook, listWebhooks, type WebhookEndpoint } from '../../../db/webhooks/endpoints.ts';
import { webhookHost } from '../../../domain/events.ts';
import { mayAsStaff } from '../../../domain/staff.ts';
import { type Html, html } from '../../../rendering/html.ts';
import { problems } from '../../answers.ts';
import { webhookState } from '../../layout/company-parts.ts';
import { postForm, time } from '../../layout/parts.ts';
import { idOf } from '../../page.ts';
import { changeAccess } from '../../session/confirmation.ts';
import { companyPath } from '../repair-parts.ts';
import { companyForms, declarePart } from './company-pages.ts';

type Webhook = WebhookEndpoint & { readonly health: WebhookHealth | undefined };

/** When an attempt was, and its answer; never the text of the answer. */
const attempt = (shown: ShownAttempt | null | undefined): Html =>
  shown
    ? html`<code>${shown.type}</code> ${time(new Date(shown.at))}${shown.statusCode !== null && html`<br><strong>${shown.statusCode}</strong>`}${
        shown.problem !== null && html`<br>${shown.problem}`
      }`
    : html`–`;

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
  changesSoon: (rows) => rows.some(({ health }) => health?.isTesting),
  columns: ({ session, formToken }, company) => [
    {
      title: 'Server',
      phone: 'head',
      value: ({ id, url, description }) =>
        html`<code>${webhookHost(url)}</code> (${id})${description !== '' && html`<br>${description}`}`,
    },
    { title: 'Events', value: ({ types }) => types?.join(', ') ?? 'All' },
    {
      title: 'State',
      phone: 'plain',
      value: (one) =>
        html`${webhookState(one)}${one.statusReason !== null && html`<br>${one.statusReason}`}`,
    },
    { title: 'Last attempt', value: ({ health }) => attempt(health?.last) },
    { title: 'Last error', value: ({ health }) => attempt(health?.failed) },
    {
      title: 'Test',
      phone: 'plain',
      value: ({ id, status, url }) =>
        status === 'ACTIVE' &&
        mayAsStaff(session.staff.role, 'ask') &&
        postForm(
          {
            action: `${companyPath(company)}/webhooks/${id}/test`,
            formToken,
            className: 'one-button',
          },
          html`<button class="secondary">Send a test event<span class="visually-hidden"> to ${webhookHost(url)}</span></button>`,
        ),
    },
  ],
});

/** Sends a test event to a webhook, as its company does at the portal. */
export const testCompanyWebhook = companyForms({
  path: '/webhooks/:webhook/test',
  needs: 'ask',
  async confirmed({ services, params }, company) {
    const webhook = await findWebhook(services.database, webhookId(params), company);
    return (
      webhook &&
      html`You are about to send a test event to the webhook <code>${webhookHost(webhook.url)}</code>.`
    );
  },
  async handle(request, company) {
    const id = webhookId(request.params);
    let isKnown = false;
    const sent = await changeAccess(
      request,
      'test webhook',
      async (transaction) => {
        const webhook = await findWebhook(transaction, id, company);
        if (webhook === undefined) return undefined;
        isKnown = true;
        if (webhook.status !== 'ACTIVE') return undefined;
        if ((await requestTestEvent(transaction, id)) === undefined) return undefined;
        return { result: true, details: { webhookId: id, url: webhook.url } };
      },
      company,
    );
    if (!isKnown) return problems.notFound;
    return {
      kind: 'redirect',
      to: `${companyPath(company)}/webhooks`,
      notice: sent
        ? 'A test event is on its way. The answer appears below.'
        : 'A test event is on its way already, or the webhook is not active.',
    };
  },
});

const webhookId = ({ webhook = '' }: Readonly<Record<string, string>>): number =>
  idOf({ params: { id: webhook } });
