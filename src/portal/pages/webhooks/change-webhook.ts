import type { DatabaseTransaction } from '../../../db/connection.ts';
import { requestTestEvent } from '../../../db/webhooks/delivery-requests.ts';
import {
  findWebhook,
  removeWebhook as remove,
  setWebhookStatus,
  type WebhookEndpoint,
} from '../../../db/webhooks/webhook-endpoints.ts';
import { PORTAL_ACTOR } from '../../../domain/access/access-changes.ts';
import { rotateWebhookSecret as rotate } from '../../../operations/webhooks.ts';
import { type Html, html } from '../../../rendering/html.ts';
import { changeAccess } from '../../access/change-access.ts';
import { checkProof, proofField, statusOf, type WrongProof } from '../../access/confirmation.ts';
import { confirmation, postForm } from '../../layout/parts.ts';
import { type AccountPage, type AccountRequest, idOf, type PageAnswer } from '../../page.ts';
import { problems } from '../../problem-page.ts';
import { secretPage } from './add-webhook.ts';
import { WEBHOOKS_PATH } from './webhooks.ts';

/** The webhook of the path; undefined where it is not the company's. */
export const webhookOf = (
  request: AccountRequest,
  database: DatabaseTransaction | AccountRequest['services']['database'],
): Promise<WebhookEndpoint | undefined> =>
  findWebhook(database, idOf(request), request.session.company);

/** A page of one button: changes the webhook, and leads back to it. */
const changePage = (change: {
  readonly verb: 'pause' | 'resume' | 'test';
  readonly confirmed: (webhook: WebhookEndpoint) => Html;
  readonly notice: string;
  readonly unchanged: string;
  /** Returns whether something changed. */
  readonly work: (
    transaction: DatabaseTransaction,
    webhook: WebhookEndpoint,
    request: AccountRequest,
  ) => Promise<boolean>;
}): AccountPage => ({
  method: 'POST',
  path: `/webhooks/:id/${change.verb}`,
  access: 'account',
  needs: 'develop',
  confirmation: async (request) => {
    const webhook = await webhookOf(request, request.services.database);
    return webhook && change.confirmed(webhook);
  },
  async handle(request) {
    let isKnown = false;
    const changed = await changeAccess(request, `${change.verb} webhook`, async (transaction) => {
      const webhook = await webhookOf(request, transaction);
      if (webhook === undefined) return undefined;
      isKnown = true;
      if (!(await change.work(transaction, webhook, request))) return undefined;
      return { result: true, details: { webhookId: webhook.id, url: webhook.url } };
    });
    if (!isKnown) return problems.notFound;
    const notice = changed ? change.notice : change.unchanged;
    return { kind: 'redirect', to: `${WEBHOOKS_PATH}/${idOf(request)}`, notice };
  },
});

const reasonOf = ({ session }: AccountRequest) => `By ${PORTAL_ACTOR}${session.email}.`;

export const pauseWebhook = changePage({
  verb: 'pause',
  confirmed: ({ url }) => html`You are about to pause the webhook <code>${url}</code>.`,
  notice: 'The webhook is paused. Its events wait until you resume it.',
  unchanged: 'The webhook was not active.',
  work: async (transaction, { id, status }, request) =>
    status === 'ACTIVE' && setWebhookStatus(transaction, id, 'DISABLED', reasonOf(request)),
});

export const resumeWebhook = changePage({
  verb: 'resume',
  confirmed: ({ url }) => html`You are about to resume the webhook <code>${url}</code>.`,
  notice: 'The webhook is active. It gets the events that it has missed.',
  unchanged: 'The webhook was active already.',
  work: (transaction, { id }, request) =>
    setWebhookStatus(transaction, id, 'ACTIVE', reasonOf(request)),
});

export const testWebhook = changePage({
  verb: 'test',
  confirmed: ({ url }) =>
    html`You are about to send a test event to the webhook <code>${url}</code>.`,
  notice: 'A test event is on its way. The answer appears below.',
  unchanged: 'A test event is on its way already, or the webhook is not active.',
  work: async (transaction, { id, status }) =>
    status === 'ACTIVE' && (await requestTestEvent(transaction, id)) !== undefined,
});

/** Asks for a proof before a secret is rotated. */
export const askRotateWebhook: AccountPage = {
  method: 'GET',
  path: '/webhooks/:id/rotate',
  access: 'account',
  needs: 'develop',
  handle: (request) => rotatePage(request),
};

/** Shows a new secret after a proof; the old one signs beside it for a while. */
export const rotateWebhook: AccountPage = {
  method: 'POST',
  path: '/webhooks/:id/rotate',
  access: 'account',
  needs: 'develop',
  confirmation: 'each-time',
  async handle(request) {
    const wrong = await checkProof(request);
    if (wrong) return rotatePage(request, wrong);
    const { webhooks } = request.services;
    const rotated = await changeAccess(request, 'rotate webhook-secret', async (transaction) => {
      const webhook = await webhookOf(request, transaction);
      if (webhook === undefined) return undefined;
      const { id, url } = webhook;
      const secret = await rotate(transaction, webhook, webhooks);
      const { overlapHours } = webhooks;
      return { result: { id, url, secret }, details: { webhookId: id, url, overlapHours } };
    });
    if (rotated === undefined) return problems.notFound;
    return secretPage({
      ...rotated,
      heading: 'The new secret',
      further: `The old secret signs beside it for ${webhooks.overlapHours} more hours.`,
    });
  },
};

async function rotatePage(request: AccountRequest, wrong?: WrongProof): Promise<PageAnswer> {
  const webhook = await webhookOf(request, request.services.database);
  if (webhook === undefined) return problems.notFound;
  const path = `${WEBHOOKS_PATH}/${webhook.id}`;
  return {
    kind: 'page',
    title: 'Rotate a secret',
    ...statusOf(wrong),
    content: html`<h1>Rotate the secret</h1>
<section class="card"><p>The service makes a new secret for <code>${webhook.url}</code> and shows it once. For
${request.services.webhooks.overlapHours} hours each message has a signature by either secret.</p>
${postForm(
  { action: `${path}/rotate`, formToken: request.formToken },
  html`${proofField(request, wrong?.problem)}
<p class="actions"><button>Make the new secret</button><a href="${path}">Back</a></p>`,
)}</section>`,
  };
}

/** Asks for confirmation before a webhook is removed. */
export const askRemoveWebhook: AccountPage = {
  method: 'GET',
  path: '/webhooks/:id/remove',
  access: 'account',
  needs: 'develop',
  async handle(request) {
    const webhook = await webhookOf(request, request.services.database);
    if (webhook === undefined) return problems.notFound;
    const path = `${WEBHOOKS_PATH}/${webhook.id}`;
    return confirmation({
      title: 'Remove the webhook?',
      text: html`<p><code>${webhook.url}</code> gets no more events, and its secret is deleted.</p>`,
      action: `${path}/remove`,
      formToken: request.formToken,
      button: 'Remove the webhook',
      back: path,
    });
  },
};

/** Removes a webhook. */
export const removeWebhook: AccountPage = {
  method: 'POST',
  path: '/webhooks/:id/remove',
  access: 'account',
  needs: 'develop',
  confirmation: async (request) => {
    const webhook = await webhookOf(request, request.services.database);
    return webhook && html`You are about to remove the webhook <code>${webhook.url}</code>.`;
  },
  async handle(request) {
    const removed = await changeAccess(request, 'remove webhook', async (transaction) => {
      const webhook = await webhookOf(request, transaction);
      if (webhook === undefined) return undefined;
      await remove(transaction, webhook.id);
      return { result: true, details: { webhookId: webhook.id, url: webhook.url } };
    });
    if (removed === undefined) return problems.notFound;
    return { kind: 'redirect', to: WEBHOOKS_PATH, notice: 'The webhook is removed.' };
  },
};
