import type { Database } from '../../../db/connection.ts';
import { findWebhook, listWebhooks, type WebhookEndpoint } from '../../../db/webhooks/endpoints.ts';
import { PORTAL_ACTOR } from '../../../domain/access.ts';
import { eventTypes, eventTypesOf, WEBHOOK_URL_LENGTH } from '../../../domain/events.ts';
import {
  checkWebhook,
  endWebhook,
  registerWebhook,
  rotateWebhookSecret,
  switchWebhook,
  testWebhook,
  WEBHOOK_DESCRIPTION_LENGTH,
  WEBHOOK_SECRET_OVERLAP_HOURS,
} from '../../../operations/webhooks.ts';
import { type Html, html } from '../../../rendering/html.ts';
import {
  TEST_NOT_SENT,
  TEST_SENT,
  type WebhookWork,
  webhookState,
} from '../../layout/company-parts.ts';
import {
  asSent,
  emptyState,
  field,
  postForm,
  secretPage,
  table,
  textColumn,
  type WrongFields,
} from '../../layout/parts.ts';
import {
  type AccountRequest,
  idOf,
  type PageAnswer,
  PORTAL_PATH,
  portal,
  readNameField,
  redirect,
} from '../../page.ts';
import { changePages, ownCompany } from '../../session/changes.ts';
import { proofFields } from '../../session/confirmation.ts';

export const WEBHOOKS_PATH = `${PORTAL_PATH}/webhooks`;

/** The company's webhooks, and the form for another. */
export const showWebhooks = portal.page({
  path: '/webhooks',
  needs: 'develop',
  handle: webhooksPage,
});

/** A field of the form for each type. */
const typeField = (type: string): string => `type-${type}`;

/** The page with the problem of a sent form. */
async function webhooksPage(
  request: AccountRequest,
  wrong?: WrongFields,
  answer = wrong ? { status: 422 } : {},
): Promise<PageAnswer> {
  const { services, session } = request;
  const webhooks = await listWebhooks(services.database, session.company);
  return {
    kind: 'page',
    title: 'Webhooks',
    ...answer,
    content: html`<h1>Webhooks</h1>
<p>Your server is told as soon as something happens, such as a voucher that is redeemed. The
<a href="/docs/guides/receive-webhooks">guide</a> says how to check the signature.</p>
<section class="card"><h2>Your webhooks</h2>
${table(
  'Webhooks',
  webhooks,
  [
    textColumn(
      'Address',
      ({ id, url, description }) =>
        html`<a href="${WEBHOOKS_PATH}/${id}"><code>${url}</code></a>${
          description !== '' && html`<br>${description}`
        }`,
    ),
    textColumn('Events', ({ types }) => types?.join(', ') ?? 'All'),
    textColumn('State', webhookState),
  ],
  emptyState('None yet', 'Add the address of your server below.'),
)}
</section>
${await addForm(request, wrong)}`,
  };
}

async function addForm(request: AccountRequest, wrong: WrongFields | undefined): Promise<Html> {
  const { session, form } = request;
  const sent = asSent(request, wrong);
  const choices = eventTypesOf(session.company.kind).map(
    (type) =>
      html`<label class="choice"><input type="checkbox" name="${typeField(type)}" value="on"${
        form.text(typeField(type)) === 'on' && html` checked`
      }> <span><code>${type}</code><br>${eventTypes[type].meaning.replaceAll('`', '')}</span></label>`,
  );
  return html`<section class="card"><h2>Add a webhook</h2>
${postForm(
  request,
  WEBHOOKS_PATH,
  html`${field({
    ...sent('url'),
    label: 'Address',
    hint:
      request.services.settings.webhooks.webhookPrivateNetworks === 'on'
        ? 'It begins with https:// and is reachable from the internet. This environment also takes http:// and private ' +
          'addresses, such as http://127.0.0.1:4000/hooks.'
        : 'It begins with https:// and is reachable from the internet.',
    maximumLength: WEBHOOK_URL_LENGTH,
  })}
${field({
  ...sent('description'),
  label: 'Description',
  hint: 'For yourself, such as the name of the server.',
  maximumLength: WEBHOOK_DESCRIPTION_LENGTH,
  isOptional: true,
})}
<fieldset><legend>Events</legend><p class="hint">Choose none to get all, new types included.</p>
${choices}</fieldset>
${await proofFields(request, wrong?.proof)}
<button>Add the webhook</button>`,
)}</section>`;
}

/** Registers a webhook after a proof, and shows its secret. */
export const addWebhookForm = changePages(portal, {
  path: '/webhooks',
  needs: 'develop',
  find: ownCompany,
  async read({ services, session, form }) {
    const { company, email } = session;
    const webhook = {
      company,
      url: form.text('url').slice(0, WEBHOOK_URL_LENGTH + 1),
      description: form.text('description').trim().slice(0, WEBHOOK_DESCRIPTION_LENGTH),
      types: eventTypesOf(company.kind).filter((type) => form.text(typeField(type)) === 'on'),
      createdBy: PORTAL_ACTOR + email,
    };
    const { description } = webhook;
    if (description !== '' && readNameField(description, WEBHOOK_DESCRIPTION_LENGTH) === undefined)
      return { wrong: { description: 'Enter one line of text.' } };
    // A code proves once: a wrong form must not use it up.
    const checked = await checkWebhook(services.database, webhook, services);
    return checked.ok ? { value: webhook } : { wrong: { [checked.field]: checked.problem } };
  },
  confirmed: 'each-time',
  action: 'add webhook',
  again: webhooksPage,
  async work(transaction, { services }, { value }) {
    const added = await registerWebhook(transaction, value, services);
    return added.ok
      ? { result: added, details: added.details }
      : { wrong: { [added.field]: added.problem } };
  },
  done: ({ result }) => webhookSecretPage({ ...result, title: 'Your new webhook' }),
});

/** The page that shows the secret of a webhook. */
const webhookSecretPage = (shown: {
  readonly id: number;
  readonly url: string;
  readonly secret: string;
  readonly title: string;
  readonly further?: string;
}): PageAnswer =>
  secretPage({
    title: shown.title,
    name: html`<code>${shown.url}</code>`,
    warning: html`<strong>Copy the secret now: it is shown only once.</strong> Your server checks the signature of
every message with it: the <a href="/docs/guides/receive-webhooks">guide</a> says how.`,
    secret: { name: 'secret', label: 'Secret', value: shown.secret },
    further: shown.further,
    back: `${WEBHOOKS_PATH}/${shown.id}`,
  });

/** The webhook of the path; undefined where it is not the company's. */
export const webhookOf = (request: AccountRequest, database: Database) =>
  findWebhook(database, idOf(request), request.session.company);

/** A button that changes a webhook, and leads back to it. */
interface WebhookChange {
  readonly verb: 'pause' | 'resume' | 'test';
  readonly confirmed: (webhook: WebhookEndpoint) => Html;
  readonly work: WebhookWork<AccountRequest>;
  readonly done: string;
  readonly notDone: string;
}

const switchTo =
  (status: 'DISABLED' | 'ACTIVE'): WebhookWork<AccountRequest> =>
  (transaction, webhook, { services, session }) => {
    const reason = `By ${PORTAL_ACTOR}${session.email}.`;
    return switchWebhook(transaction, webhook, { status, reason }, services.settings);
  };

const changes: readonly WebhookChange[] = [
  {
    verb: 'pause',
    confirmed: ({ url }) => html`You are about to pause the webhook <code>${url}</code>.`,
    work: async (transaction, webhook, request) =>
      webhook.status === 'ACTIVE' ? switchTo('DISABLED')(transaction, webhook, request) : undefined,
    done: 'The webhook is paused. Its events wait until you resume it.',
    notDone: 'The webhook was not active.',
  },
  {
    verb: 'resume',
    confirmed: ({ url }) => html`You are about to resume the webhook <code>${url}</code>.`,
    work: switchTo('ACTIVE'),
    done: 'The webhook is active. It gets the events that it has missed.',
    notDone: 'The webhook was active already.',
  },
  {
    verb: 'test',
    confirmed: ({ url }) =>
      html`You are about to send a test event to the webhook <code>${url}</code>.`,
    work: testWebhook,
    done: TEST_SENT,
    notDone: TEST_NOT_SENT,
  },
];

/** The forms that pause, resume and test a webhook. */
export const changeWebhookForms = changes.flatMap(({ verb, confirmed, work, done, notDone }) =>
  changePages(portal, {
    path: `/webhooks/:id/${verb}`,
    needs: 'develop',
    find: webhookOf,
    confirmed,
    action: `${verb} webhook`,
    async work(transaction, request, { subject }) {
      const details = await work(transaction, subject, request);
      return { result: details ? done : notDone, details };
    },
    done: ({ subject, result: notice }) => redirect(`${WEBHOOKS_PATH}/${subject.id}`, notice),
  }),
);

/** Shows a new secret after a proof; the old secret also signs for a while. */
export const rotateWebhookPages = changePages(portal, {
  path: '/webhooks/:id/rotate',
  needs: 'develop',
  find: webhookOf,
  question: ({ id, url }) => ({
    title: 'Rotate a secret',
    heading: html`Rotate the secret`,
    text: html`<p>The service makes a new secret for <code>${url}</code> and shows it once. For
${WEBHOOK_SECRET_OVERLAP_HOURS} hours each message has a signature by either secret.</p>`,
    button: 'Make the new secret',
    back: `${WEBHOOKS_PATH}/${id}`,
  }),
  confirmed: 'each-time',
  action: 'rotate webhook-secret',
  async work(transaction, { services }, { subject: webhook }) {
    const { secret, details } = await rotateWebhookSecret(transaction, webhook, services);
    return { result: secret, details };
  },
  done: ({ subject: { id, url }, result: secret }) =>
    webhookSecretPage({
      ...{ id, url, secret },
      title: 'The new secret',
      further: `The old secret signs beside it for ${WEBHOOK_SECRET_OVERLAP_HOURS} more hours.`,
    }),
});

/** Removes a webhook. */
export const removeWebhookPages = changePages(portal, {
  path: '/webhooks/:id/remove',
  needs: 'develop',
  find: webhookOf,
  question: ({ id, url }) => ({
    title: 'Remove the webhook?',
    text: html`<p><code>${url}</code> gets no more events, and its secret is deleted.</p>`,
    button: 'Remove the webhook',
    isDanger: true,
    back: `${WEBHOOKS_PATH}/${id}`,
  }),
  confirmed: ({ url }) => html`You are about to remove the webhook <code>${url}</code>.`,
  action: 'remove webhook',
  work: async (transaction, _request, { subject: webhook }) => ({
    details: await endWebhook(transaction, webhook),
  }),
  done: () => redirect(WEBHOOKS_PATH, 'The webhook is removed.'),
});
