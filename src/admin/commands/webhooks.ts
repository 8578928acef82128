import { lockCompany } from '../../db/access/company-access.ts';
import type { Database, DatabaseTransaction } from '../../db/connection.ts';
import { listDeliveries, type SentAgain } from '../../db/webhooks/deliveries.ts';
import {
  BY_OPERATOR,
  findWebhook,
  listWebhooks,
  type WebhookEndpoint,
} from '../../db/webhooks/endpoints.ts';
import {
  endWebhook,
  registerWebhook,
  rotateWebhookSecret,
  sendWebhookAgain,
  switchWebhook,
  testWebhook,
  WEBHOOK_SECRET_OVERLAP_HOURS,
} from '../../operations/webhooks.ts';
import { changeCommand, lookCommand } from '../command.ts';
import {
  AdminError,
  argument,
  beginning,
  ending,
  existing,
  flag,
  id,
  listOfWords,
  optional,
  text,
} from '../fields.ts';
import { webhookServices } from '../keys.ts';
import { companyFields, companyList, lockedCompany } from '../record-names.ts';
import { column, tableReport } from '../tables.ts';

const webhookId = argument(id, 'The id of the webhook: see access webhook list');

const stateCommand = (verb: 'pause' | 'resume') =>
  changeCommand({
    action: `${verb} webhook`,
    details:
      verb === 'pause'
        ? 'Its events wait until it is resumed, for as long as events are kept.'
        : 'It gets the events that it has missed, as long as they are kept.',
    fields: { id: webhookId },
    async change(transaction, input, { settings }) {
      const webhook = await lockWebhook(transaction, input.id);
      const status = verb === 'pause' ? 'DISABLED' : 'ACTIVE';
      const details = await switchWebhook(
        transaction,
        webhook,
        { status, reason: BY_OPERATOR },
        settings,
      );
      if (!details) return { unchanged: `No change: webhook ${webhook.id} is ${status} already.` };
      return {
        subject: companyOfWebhook(webhook),
        details,
        text: `Webhook ${webhook.id} is ${status}.`,
      };
    },
  });

export const commands = {
  'access webhook add': changeCommand({
    action: 'add webhook',
    details:
      'The secret, by which the receiver checks signatures, is shown once. Needs the setting DATA_KEYS ' +
      'of the service, unless "npm start" runs it.',
    fields: {
      url: argument(
        text,
        'An https address on the public internet; `WEBHOOK_PRIVATE_NETWORKS=on` also takes http and private ones',
      ),
      ...companyFields,
      description: optional(text, 'The system that receives the events'),
      types: optional(listOfWords, 'Types of events, separated by commas; all by default'),
    },
    examples: [
      'https://shop.example/hooks --partner 1',
      'https://till.example/hooks --merchant 3 --types payout.completed',
    ],
    async change(transaction, input, { settings, actor }) {
      const services = webhookServices(settings);
      const company = await lockedCompany(transaction, input);
      const { url, description = '', types = [] } = input;
      const webhook = { company, url, description, types, createdBy: actor() };
      const registered = await registerWebhook(transaction, webhook, services);
      if (!registered.ok) throw new AdminError(registered.problem);
      return {
        subject: company,
        details: registered.details,
        text:
          `Added webhook ${registered.id} of ${company.kind} ${company.id}. Its secret is shown only ` +
          `now:\n\n  ${registered.secret}\n`,
        secretOutput: { secret: registered.secret },
      };
    },
  }),

  'access webhook rotate-secret': changeCommand({
    action: 'rotate webhook-secret',
    details: 'The command needs the setting of "access webhook add".',
    fields: { id: webhookId },
    async change(transaction, input, { settings }) {
      const services = webhookServices(settings);
      const webhook = await lockWebhook(transaction, input.id);
      const { secret, details } = await rotateWebhookSecret(transaction, webhook, services);
      return {
        subject: companyOfWebhook(webhook),
        details,
        text:
          `Rotated the secret of webhook ${webhook.id}. The old one signs for ${WEBHOOK_SECRET_OVERLAP_HOURS} more ` +
          `hours. The new one is shown only now:\n\n  ${secret}\n`,
        secretOutput: { secret },
      };
    },
  }),

  'access webhook pause': stateCommand('pause'),
  'access webhook resume': stateCommand('resume'),

  'access webhook remove': changeCommand({
    action: 'remove webhook',
    details: 'Events that were not delivered yet are not delivered any more.',
    fields: { id: webhookId },
    async change(transaction, input) {
      const webhook = await lockWebhook(transaction, input.id);
      return {
        subject: companyOfWebhook(webhook),
        details: await endWebhook(transaction, webhook),
        text: `Removed webhook ${webhook.id}.`,
      };
    },
  }),

  'access webhook list': companyList({
    read: listWebhooks,
    columns: [
      'id',
      'url',
      column('description', (row: WebhookEndpoint) => row.description || null),
      column('events', (row: WebhookEndpoint) => row.types?.join(' ') ?? 'all'),
      'status',
      'statusSince',
      'statusReason',
      'failingSince',
    ],
  }),

  'access webhook test': changeCommand({
    action: 'test webhook',
    details: 'The command "access webhook list-deliveries" shows the answer.',
    fields: { id: webhookId },
    async change(transaction, input) {
      const webhook = await lockWebhook(transaction, input.id);
      requireActive(webhook);
      const details = await testWebhook(transaction, webhook);
      if (!details) return { unchanged: 'No change: a test event is on its way.' };
      return {
        subject: companyOfWebhook(webhook),
        details,
        text: `Sent a test event to webhook ${webhook.id} as delivery ${details.deliveryId}.`,
      };
    },
  }),

  'access webhook send-again': changeCommand({
    action: 'send-again webhook',
    details:
      'Name one delivery, all that failed, or the time in which the deliveries were made. At most 10,000 ' +
      'are sent again, the oldest first. Receivers discard duplicates by their id.',
    fields: {
      id: webhookId,
      delivery: optional(id, 'The id of one delivery: see access webhook list-deliveries'),
      failed: flag('All deliveries that failed'),
      from: optional(beginning, 'The first day (UTC), or a time'),
      to: optional(ending, 'The last day (UTC), or a time, which is excluded'),
    },
    examples: ['7 --delivery 1234', '7 --failed', '7 --from 2026-11-20 --to 2026-11-20'],
    async change(transaction, input, { settings }) {
      const webhook = await lockWebhook(transaction, input.id);
      requireActive(webhook);
      const details = await sendWebhookAgain(transaction, webhook, selectionOf(input), settings);
      if (!details) return { unchanged: 'No change: there is no such delivery.' };
      return {
        subject: companyOfWebhook(webhook),
        details,
        text: `Deliveries of webhook ${webhook.id} that are sent again: ${details.sent}.`,
      };
    },
  }),

  'access webhook list-deliveries': lookCommand({
    fields: { id: webhookId, failed: flag('Only those that failed') },
    examples: ['7', '7 --failed'],
    async look(database, input) {
      await requireWebhook(database, input.id);
      const status = input.failed ? 'FAILED' : undefined;
      return tableReport(await listDeliveries(database, input.id, { status, limit: 50 }), [
        'id',
        'createdAt',
        'type',
        'subject',
        'status',
        'attempts',
        'lastStatusCode',
        'lastMilliseconds',
        column('next', (row) => (row.status === 'PENDING' ? row.nextAttemptAt : null)),
        'lastProblem',
      ]);
    },
  }),
};

/** @throws {AdminError} where it does not exist */
const requireWebhook = async (database: Database, id: number): Promise<WebhookEndpoint> =>
  existing(await findWebhook(database, id), `webhook ${id}`, 'access webhook list');

/** A webhook whose company is locked, as by the portal and by /support: changes of it wait for each other. */
async function lockWebhook(transaction: DatabaseTransaction, id: number): Promise<WebhookEndpoint> {
  await lockCompany(transaction, companyOfWebhook(await requireWebhook(transaction, id)));
  return await requireWebhook(transaction, id);
}

/** The company of a webhook. */
const companyOfWebhook = ({ companyKind, companyId }: WebhookEndpoint) => ({
  kind: companyKind,
  id: companyId,
});

function requireActive({ id, status }: WebhookEndpoint): void {
  if (status !== 'ACTIVE')
    throw new AdminError(`Webhook ${id} is ${status}: use "access webhook resume ${id}" first.`);
}

function selectionOf(input: {
  readonly delivery: number | undefined;
  readonly failed: boolean | undefined;
  readonly from: Date | undefined;
  readonly to: Date | undefined;
}): SentAgain {
  const { delivery, failed, from, to } = input;
  const isTime = from !== undefined || to !== undefined;
  if ([delivery !== undefined, failed === true, isTime].filter(Boolean).length !== 1)
    throw new AdminError('Use one of --delivery, --failed, or --from and --to.');
  if (delivery !== undefined) return { kind: 'one', deliveryId: delivery };
  if (failed) return { kind: 'failed' };
  if (!from || !to || from >= to) throw new AdminError('Use --from with a later --to.');
  return { kind: 'time', from, to };
}
