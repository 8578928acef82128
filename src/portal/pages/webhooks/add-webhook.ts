import { PORTAL_ACTOR } from '../../../domain/access/access-changes.ts';
import { eventTypesOf } from '../../../domain/event-types.ts';
import { WEBHOOK_URL_LENGTH } from '../../../domain/webhooks/webhook.ts';
import { registerWebhook, WEBHOOK_DESCRIPTION_LENGTH } from '../../../operations/webhooks.ts';
import { html } from '../../../rendering/html.ts';
import { changeAccess } from '../../access/change-access.ts';
import { checkProof } from '../../access/confirmation.ts';
import { readName } from '../../layout/form.ts';
import { copyField, message } from '../../layout/parts.ts';
import type { AccountPage, PageAnswer } from '../../page.ts';
import { typeField, WEBHOOKS_PATH, type WrongWebhook, webhooksPage } from './webhooks.ts';

/** Registers a webhook after a proof, and shows its secret. */
export const addWebhook: AccountPage = {
  method: 'POST',
  path: '/webhooks',
  access: 'account',
  needs: 'develop',
  confirmation: 'each-time',
  async handle(request) {
    const { services, session, form } = request;
    const { company } = session;
    const given = {
      url: form.text('url').slice(0, WEBHOOK_URL_LENGTH + 1),
      description: form.text('description').trim().slice(0, WEBHOOK_DESCRIPTION_LENGTH),
      types: eventTypesOf(company.kind).filter((type) => form.text(typeField(type)) === 'on'),
    };
    const refuse = (wrong: Pick<WrongWebhook, 'field' | 'problem' | 'waitSeconds'>) =>
      webhooksPage(request, { ...given, ...wrong });
    if (
      given.description !== '' &&
      readName(given.description, WEBHOOK_DESCRIPTION_LENGTH) === undefined
    )
      return refuse({ field: 'description', problem: 'Enter one line of text.' });
    const wrong = await checkProof(request);
    if (wrong) return refuse({ field: 'proof', ...wrong });
    let problem: Pick<WrongWebhook, 'field' | 'problem'> | undefined;
    const added = await changeAccess(request, 'add webhook', async (transaction) => {
      const webhook = { company, ...given, createdBy: PORTAL_ACTOR + session.email };
      const registered = await registerWebhook(transaction, webhook, services.webhooks);
      if (!registered.ok) {
        problem = registered;
        return undefined;
      }
      const { id, url, secret } = registered;
      return { result: { id, url, secret }, details: { webhookId: id, url, types: given.types } };
    });
    if (added) return secretPage({ ...added, heading: 'Your new webhook' });
    return refuse(problem ?? { field: 'url', problem: 'The webhook was not added. Try again.' });
  },
};

/** The page that shows a secret, once; browsers cache no page of the portal. */
export const secretPage = (shown: {
  readonly id: number;
  readonly url: string;
  readonly secret: string;
  readonly heading: string;
  readonly further?: string;
}): PageAnswer => ({
  kind: 'page',
  title: shown.heading,
  content: html`<h1>${shown.heading}</h1>
<section class="card"><h2><code>${shown.url}</code></h2>
${message(
  'warning',
  html`<strong>Copy the secret now: it is shown only once.</strong> Your server checks the signature of
every message with it: the <a href="/docs/guides/receive-webhooks">guide</a> says how.`,
)}
${copyField({ name: 'secret', label: 'Secret', value: shown.secret })}
${shown.further !== undefined && html`<p>${shown.further}</p>`}
<p class="actions"><a class="button secondary" href="${WEBHOOKS_PATH}/${shown.id}">I have copied it</a></p>
</section>`,
});
