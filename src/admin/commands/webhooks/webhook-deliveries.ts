import {
  listDeliveries,
  requestTestEvent,
  type SentAgain,
  sendAgain,
} from '../../../db/webhooks/delivery-requests.ts';
import type { WebhookEndpoint } from '../../../db/webhooks/webhook-endpoints.ts';
import { AdminError } from '../../admin-error.ts';
import { changeCommand, lookCommand } from '../../command.ts';
import { beginning, ending, flag, id, optional } from '../../fields.ts';
import { column, numbers, table, time } from '../../tables.ts';
import { companyOf, requireWebhook, webhookId } from './webhooks.ts';

export const testWebhookCommand = changeCommand({
  name: 'test webhook',
  details: 'See its answer with "list webhook-deliveries".',
  fields: { id: webhookId },
  examples: ['test webhook 7'],
  async change(transaction, input) {
    const webhook = await requireWebhook(transaction, input.id);
    requireActive(webhook);
    const deliveryId = await requestTestEvent(transaction, webhook.id);
    if (deliveryId === undefined) return { unchanged: 'No change: a test event is on its way.' };
    return {
      subject: companyOf(webhook),
      details: { webhookId: webhook.id, deliveryId },
      text: `Sent a test event to webhook ${webhook.id} as delivery ${deliveryId}.`,
    };
  },
});

function requireActive({ id, status }: WebhookEndpoint): void {
  if (status !== 'ACTIVE')
    throw new AdminError(`Webhook ${id} is ${status}: use "resume webhook ${id}" first.`);
}

export const sendAgainCommand = changeCommand({
  name: 'send-again webhook',
  details:
    'Name one delivery, all that failed, or the time in which the deliveries were made. At most 10,000 ' +
    'are sent again, the oldest first. Receivers discard duplicates by their id.',
  fields: {
    id: webhookId,
    delivery: optional(id, 'The id of one delivery: see list webhook-deliveries'),
    failed: flag('All deliveries that failed'),
    from: optional(beginning, 'A day (UTC) or a time'),
    to: optional(ending, 'A day (UTC), included, or a time, excluded'),
  },
  examples: [
    'send-again webhook 7 --delivery 1234',
    'send-again webhook 7 --failed',
    'send-again webhook 7 --from 2026-11-20 --to 2026-11-20',
  ],
  async change(transaction, input, { webhookSettings }) {
    const webhook = await requireWebhook(transaction, input.id);
    requireActive(webhook);
    const { retrySeconds } = webhookSettings();
    const sent = await sendAgain(transaction, webhook.id, selectionOf(input), retrySeconds);
    if (sent === 0) return { unchanged: 'No change: there is no such delivery.' };
    return {
      subject: companyOf(webhook),
      details: { webhookId: webhook.id, sent },
      text: `Deliveries of webhook ${webhook.id} that are sent again: ${sent}.`,
    };
  },
});

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

export const listWebhookDeliveriesCommand = lookCommand({
  name: 'list webhook-deliveries',
  fields: { id: webhookId, failed: flag('Only those that failed') },
  examples: ['list webhook-deliveries 7', 'list webhook-deliveries 7 --failed'],
  async look(database, input) {
    await requireWebhook(database, input.id);
    const status = input.failed ? 'FAILED' : undefined;
    const deliveries = await listDeliveries(database, input.id, { status, limit: 50 });
    return {
      json: deliveries,
      text: table(deliveries, [
        numbers('id', (row) => row.id),
        column('made', (row) => time(row.createdAt)),
        column('event', (row) => row.type),
        column('about', (row) => row.subject),
        column('status', (row) => row.status),
        numbers('attempts', (row) => row.attempts),
        numbers('answer', (row) => row.lastStatusCode),
        numbers('ms', (row) => row.lastMilliseconds),
        column('next', (row) => (row.status === 'PENDING' ? time(row.nextAttemptAt) : null)),
        column('problem', (row) => row.lastProblem),
      ]),
    };
  },
});
