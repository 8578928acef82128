import { lockCompany } from '../../../db/access/company-access.ts';
import type { Database } from '../../../db/connection.ts';
import {
  findWebhook,
  listWebhooks,
  removeWebhook,
  setWebhookStatus,
  type WebhookEndpoint,
} from '../../../db/webhooks/webhook-endpoints.ts';
import { registerWebhook, rotateWebhookSecret } from '../../../operations/webhooks.ts';
import { AdminError } from '../../admin-error.ts';
import { changeCommand, lookCommand } from '../../command.ts';
import { argument, id, listOfWords, optional, text } from '../../fields.ts';
import { companyFields, requireCompany } from '../../record-names.ts';
import { column, numbers, table, time } from '../../tables.ts';

export const webhookId = argument(id, 'The id of the webhook: see list webhooks');

/** @throws {AdminError} where it does not exist */
export async function requireWebhook(database: Database, id: number): Promise<WebhookEndpoint> {
  const webhook = await findWebhook(database, id);
  if (!webhook) throw new AdminError(`There is no webhook ${id}: see "list webhooks".`);
  return webhook;
}

/** The company of a webhook. */
export const companyOf = ({ companyKind, companyId }: WebhookEndpoint) => ({
  kind: companyKind,
  id: companyId,
});

export const addWebhookCommand = changeCommand({
  name: 'add webhook',
  details:
    'The secret, by which the receiver checks signatures, is shown once. Needs the setting DATA_KEYS ' +
    'of the service, unless "npm start" runs it.',
  fields: {
    url: argument(
      text,
      'An https address on the public internet; `WEBHOOK_PRIVATE_NETWORKS=on` also takes http and private ones',
    ),
    ...companyFields,
    description: optional(text, 'What receives the events'),
    types: optional(listOfWords, 'Types of events, separated by commas; all by default'),
  },
  examples: [
    'add webhook https://shop.example/hooks --partner 1',
    'add webhook https://till.example/hooks --merchant 3 --types payout.completed',
  ],
  async change(transaction, input, { webhookSettings, actor }) {
    const rules = webhookSettings();
    const company = await requireCompany(transaction, input);
    await lockCompany(transaction, company);
    const { url, description = '', types = [] } = input;
    const webhook = { company, url, description, types, createdBy: actor() };
    const registered = await registerWebhook(transaction, webhook, rules);
    if (!registered.ok) throw new AdminError(registered.problem);
    return {
      subject: company,
      details: { webhookId: registered.id, url: registered.url, types },
      text:
        `Added webhook ${registered.id} of ${company.kind} ${company.id}. Its secret is shown only ` +
        `now:\n\n  ${registered.secret}\n`,
      secretOutput: { secret: registered.secret },
    };
  },
});

export const rotateWebhookCommand = changeCommand({
  name: 'rotate webhook-secret',
  details: 'The command needs the setting of "add webhook".',
  fields: { id: webhookId },
  examples: ['rotate webhook-secret 7'],
  async change(transaction, input, { webhookSettings }) {
    const rules = webhookSettings();
    const webhook = await requireWebhook(transaction, input.id);
    const company = companyOf(webhook);
    await lockCompany(transaction, company);
    const secret = await rotateWebhookSecret(transaction, webhook, rules);
    return {
      subject: company,
      details: { webhookId: webhook.id, url: webhook.url, overlapHours: rules.overlapHours },
      text:
        `Rotated the secret of webhook ${webhook.id}. The old one signs for ${rules.overlapHours} more ` +
        `hours. The new one is shown only now:\n\n  ${secret}\n`,
      secretOutput: { secret },
    };
  },
});

const stateCommand = (verb: 'pause' | 'resume') =>
  changeCommand({
    name: `${verb} webhook`,
    details:
      verb === 'pause'
        ? 'Its events wait until it is resumed, for as long as events are kept.'
        : 'It gets the events that it has missed, as long as they are kept.',
    fields: { id: webhookId },
    examples: [`${verb} webhook 7`],
    async change(transaction, input) {
      const webhook = await requireWebhook(transaction, input.id);
      const status = verb === 'pause' ? 'DISABLED' : 'ACTIVE';
      const isChanged = await setWebhookStatus(transaction, webhook.id, status, 'By the operator.');
      if (!isChanged)
        return { unchanged: `No change: webhook ${webhook.id} is ${status} already.` };
      return {
        subject: companyOf(webhook),
        details: { webhookId: webhook.id, url: webhook.url, status },
        text: `Webhook ${webhook.id} is ${status}.`,
      };
    },
  });

export const pauseWebhookCommand = stateCommand('pause');
export const resumeWebhookCommand = stateCommand('resume');

export const removeWebhookCommand = changeCommand({
  name: 'remove webhook',
  details: 'Events that were not delivered yet are not delivered any more.',
  fields: { id: webhookId },
  examples: ['remove webhook 7'],
  async change(transaction, input) {
    const webhook = await requireWebhook(transaction, input.id);
    await removeWebhook(transaction, webhook.id);
    return {
      subject: companyOf(webhook),
      details: { webhookId: webhook.id, url: webhook.url },
      text: `Removed webhook ${webhook.id}.`,
    };
  },
});

export const listWebhooksCommand = lookCommand({
  name: 'list webhooks',
  fields: companyFields,
  examples: ['list webhooks --partner 1'],
  async look(database, input) {
    const webhooks = await listWebhooks(database, await requireCompany(database, input));
    return {
      json: webhooks,
      text: table(webhooks, [
        numbers('id', (row) => row.id),
        column('address', (row) => row.url),
        column('description', (row) => row.description || null),
        column('events', (row) => row.types?.join(' ') ?? 'all'),
        column('status', (row) => row.status),
        column('since', (row) => time(row.statusSince)),
        column('reason', (row) => row.statusReason),
        column('failing since', (row) => row.failingSince && time(row.failingSince)),
      ]),
    };
  },
});
