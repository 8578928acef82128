import { listWebhooks, type WebhookEndpoint } from '../../../db/webhooks/webhook-endpoints.ts';
import { eventTypes, eventTypesOf } from '../../../domain/event-types.ts';
import { WEBHOOK_URL_LENGTH } from '../../../domain/webhooks/webhook.ts';
import { WEBHOOK_DESCRIPTION_LENGTH } from '../../../operations/webhooks.ts';
import { type Html, html } from '../../../rendering/html.ts';
import { proofField } from '../../access/confirmation.ts';
import { badge, emptyState, field, postForm, table, time } from '../../layout/parts.ts';
import { type AccountPage, type AccountRequest, type PageAnswer, PORTAL_PATH } from '../../page.ts';

export const WEBHOOKS_PATH = `${PORTAL_PATH}/webhooks`;

/** A sent form with its problem. */
export interface WrongWebhook {
  readonly url: string;
  readonly description: string;
  readonly types: readonly string[];
  readonly field: 'url' | 'description' | 'types' | 'proof';
  readonly problem: string;
  /** Set after too many wrong passwords. */
  readonly waitSeconds?: number | undefined;
}

/** The company's webhooks, and the form for another. */
export const showWebhooks: AccountPage = {
  method: 'GET',
  path: '/webhooks',
  access: 'account',
  needs: 'develop',
  handle: (request) => webhooksPage(request),
};

/** A field of the form for each type. */
export const typeField = (type: string): string => `type-${type}`;

/** The page with the problem of a sent form. */
export async function webhooksPage(
  request: AccountRequest,
  wrong?: WrongWebhook,
): Promise<PageAnswer> {
  const { services, session } = request;
  const webhooks = await listWebhooks(services.database, session.company);
  return {
    kind: 'page',
    title: 'Webhooks',
    ...(wrong ? { status: wrong.waitSeconds === undefined ? 422 : 429 } : {}),
    ...(wrong?.waitSeconds === undefined ? {} : { retryAfterSeconds: wrong.waitSeconds }),
    content: html`<h1>Webhooks</h1>
<p>Your server is told as soon as something happens, such as a voucher that is redeemed. The
<a href="/docs/guides/receive-webhooks">guide</a> says how to check the signature.</p>
<section class="card"><h2>Your webhooks</h2>
${
  webhooks.length === 0
    ? emptyState('None yet', 'Add the address of your server below.')
    : table('Webhooks', webhooks, [
        {
          title: 'Address',
          value: ({ id, url, description }) =>
            html`<a href="${WEBHOOKS_PATH}/${id}"><code>${url}</code></a>${
              description !== '' && html`<br>${description}`
            }`,
        },
        { title: 'Events', value: ({ types }) => types?.join(', ') ?? 'All' },
        { title: 'State', value: stateOf },
      ])
}
</section>
${addForm(request, wrong)}`,
  };
}

/** The state of a webhook as a badge. */
export function stateOf({ status, failingSince }: WebhookEndpoint): Html {
  if (status === 'DISABLED') return badge('plain', 'Paused');
  if (status === 'SWITCHED_OFF') return badge('danger', 'Switched off');
  return failingSince === null
    ? badge('success', 'Active')
    : html`${badge('warning', 'Failing')} since ${time(failingSince)}`;
}

function addForm(request: AccountRequest, wrong: WrongWebhook | undefined): Html {
  const { session, formToken } = request;
  const problemOf = (name: WrongWebhook['field']) =>
    wrong?.field === name ? wrong.problem : undefined;
  const choices = eventTypesOf(session.company.kind).map(
    (type) =>
      html`<label class="choice"><input type="checkbox" name="${typeField(type)}" value="on"${
        wrong?.types.includes(type) && html` checked`
      }> <span><code>${type}</code><br>${eventTypes[type].meaning.replaceAll('`', '')}</span></label>`,
  );
  return html`<section class="card"><h2>Add a webhook</h2>
${postForm(
  { action: WEBHOOKS_PATH, formToken },
  html`${field({
    name: 'url',
    label: 'Address',
    hint: request.services.webhooks.allowsPrivate
      ? 'It begins with https:// and is reachable from the internet. This environment also takes http:// and private ' +
        'addresses, such as http://127.0.0.1:4000/hooks.'
      : 'It begins with https:// and is reachable from the internet.',
    value: wrong?.url ?? '',
    error: problemOf('url'),
    maximumLength: WEBHOOK_URL_LENGTH,
  })}
${field({
  name: 'description',
  label: 'Description',
  hint: 'For yourself, such as the name of the server.',
  value: wrong?.description ?? '',
  error: problemOf('description'),
  maximumLength: WEBHOOK_DESCRIPTION_LENGTH,
  isOptional: true,
})}
<fieldset><legend>Events</legend><p class="hint">Choose none to get all, new types included.</p>
${choices}</fieldset>
${proofField(request, problemOf('proof'))}
<button>Add the webhook</button>`,
)}</section>`;
}
