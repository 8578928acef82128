import { lockCompany } from '../../db/access/company-access.ts';
import type { Database } from '../../db/connection.ts';
import { renewEventEpoch } from '../../db/events.ts';
import { setLowBalance } from '../../db/ledger/ledger.ts';
import {
  listDeliveries,
  requestTestEvent,
  type SentAgain,
  sendAgain,
} from '../../db/webhooks/deliveries.ts';
import {
  BY_OPERATOR,
  findWebhook,
  listWebhooks,
  removeWebhook,
  setWebhookStatus,
  type WebhookEndpoint,
} from '../../db/webhooks/endpoints.ts';
import { formatGroupedAmount, formatMoney, type Money } from '../../domain/money.ts';
import {
  registerWebhook,
  rotateWebhookSecret,
  WEBHOOK_SECRET_OVERLAP_HOURS,
} from '../../operations/webhooks.ts';
import { changeCommand, lookCommand } from '../command.ts';
import {
  AdminError,
  amount,
  argument,
  beginning,
  ending,
  flag,
  id,
  listOfWords,
  oneOf,
  optional,
  type Parser,
  required,
  text,
} from '../fields.ts';
import { companyFields, requireCompany, requireSubject } from '../record-names.ts';
import { column, numbers, textTable, timeText } from '../tables.ts';

const threshold: Parser<Money | null> = {
  placeholder: 'amount|none',
  parse: (text) => (text === 'none' ? null : amount.parse(text)),
};

export const setLowBalanceCommand = changeCommand({
  name: 'partner set-low-balance',
  action: 'set low-balance',
  details:
    'The event comes once each time the balance falls below the threshold. Setting a threshold above ' +
    'the balance tells nothing until the balance has risen and fallen again.',
  fields: {
    partner: required(id, 'The id of the partner'),
    wallet: required(oneOf('gift', 'airtime'), 'gift pays for vouchers, airtime for top-ups'),
    threshold: required(threshold, 'In ETB, with at most 2 decimals; "none" for no event'),
  },
  examples: [
    'partner set-low-balance --partner 1 --wallet gift --threshold 10000',
    'partner set-low-balance --partner 1 --wallet airtime --threshold none',
  ],
  async change(transaction, input) {
    const { name } = await requireSubject(transaction, 'partner', input.partner);
    const wanted = { partnerId: input.partner, wallet: input.wallet, threshold: input.threshold };
    const before = await setLowBalance(transaction, wanted);
    const after = wanted.threshold === null ? null : formatMoney(wanted.threshold);
    if (before === after)
      return { unchanged: `No change: partner ${input.partner} already has this threshold.` };
    const shown =
      wanted.threshold === null ? 'none' : `ETB ${formatGroupedAmount(wanted.threshold)}`;
    return {
      subject: { kind: 'partner', id: input.partner },
      details: { wallet: wanted.wallet, lowBalance: { from: before, to: after } },
      text: `Set the low balance of the ${wanted.wallet} wallet of partner ${input.partner} (${name}): ${shown}`,
    };
  },
});

export const renewEventEpochCommand = changeCommand({
  name: 'recovery renew-event-epoch',
  action: 'renew event-epoch',
  details:
    'Run it after a restore from a backup, before the processes start: readers of the log get 410 ' +
    'and begin again.',
  fields: {},
  examples: ['recovery renew-event-epoch'],
  async change(transaction) {
    const epochId = await renewEventEpoch(transaction);
    return {
      subject: { kind: 'event-epoch', id: epochId },
      details: {},
      text: 'Renewed the epoch of the event log: cursors from before are refused',
    };
  },
});

export const webhookId = argument(id, 'The id of the webhook: see access webhook list');

/** @throws {AdminError} where it does not exist */
export async function requireWebhook(database: Database, id: number): Promise<WebhookEndpoint> {
  const webhook = await findWebhook(database, id);
  if (!webhook) throw new AdminError(`There is no webhook ${id}: see "access webhook list".`);
  return webhook;
}

/** The company of a webhook. */
export const companyOfWebhook = ({ companyKind, companyId }: WebhookEndpoint) => ({
  kind: companyKind,
  id: companyId,
});

export const addWebhookCommand = changeCommand({
  name: 'access webhook add',
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
    description: optional(text, 'What receives the events'),
    types: optional(listOfWords, 'Types of events, separated by commas; all by default'),
  },
  examples: [
    'access webhook add https://shop.example/hooks --partner 1',
    'access webhook add https://till.example/hooks --merchant 3 --types payout.completed',
  ],
  async change(transaction, input, { webhookServices, actor }) {
    const services = webhookServices();
    const company = await requireCompany(transaction, input);
    await lockCompany(transaction, company);
    const { url, description = '', types = [] } = input;
    const webhook = { company, url, description, types, createdBy: actor() };
    const registered = await registerWebhook(transaction, webhook, services);
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
  name: 'access webhook rotate-secret',
  action: 'rotate webhook-secret',
  details: 'The command needs the setting of "access webhook add".',
  fields: { id: webhookId },
  examples: ['access webhook rotate-secret 7'],
  async change(transaction, input, { webhookServices }) {
    const services = webhookServices();
    const webhook = await requireWebhook(transaction, input.id);
    const company = companyOfWebhook(webhook);
    await lockCompany(transaction, company);
    const secret = await rotateWebhookSecret(transaction, webhook, services);
    return {
      subject: company,
      details: {
        webhookId: webhook.id,
        url: webhook.url,
        overlapHours: WEBHOOK_SECRET_OVERLAP_HOURS,
      },
      text:
        `Rotated the secret of webhook ${webhook.id}. The old one signs for ${WEBHOOK_SECRET_OVERLAP_HOURS} more ` +
        `hours. The new one is shown only now:\n\n  ${secret}\n`,
      secretOutput: { secret },
    };
  },
});

const stateCommand = (verb: 'pause' | 'resume') =>
  changeCommand({
    name: `access webhook ${verb}`,
    action: `${verb} webhook`,
    details:
      verb === 'pause'
        ? 'Its events wait until it is resumed, for as long as events are kept.'
        : 'It gets the events that it has missed, as long as they are kept.',
    fields: { id: webhookId },
    examples: [`access webhook ${verb} 7`],
    async change(transaction, input) {
      const webhook = await requireWebhook(transaction, input.id);
      const status = verb === 'pause' ? 'DISABLED' : 'ACTIVE';
      const isChanged = await setWebhookStatus(transaction, webhook.id, status, BY_OPERATOR);
      if (!isChanged)
        return { unchanged: `No change: webhook ${webhook.id} is ${status} already.` };
      return {
        subject: companyOfWebhook(webhook),
        details: { webhookId: webhook.id, url: webhook.url, status },
        text: `Webhook ${webhook.id} is ${status}.`,
      };
    },
  });

export const pauseWebhookCommand = stateCommand('pause');
export const resumeWebhookCommand = stateCommand('resume');

export const removeWebhookCommand = changeCommand({
  name: 'access webhook remove',
  action: 'remove webhook',
  details: 'Events that were not delivered yet are not delivered any more.',
  fields: { id: webhookId },
  examples: ['access webhook remove 7'],
  async change(transaction, input) {
    const webhook = await requireWebhook(transaction, input.id);
    await removeWebhook(transaction, webhook.id);
    return {
      subject: companyOfWebhook(webhook),
      details: { webhookId: webhook.id, url: webhook.url },
      text: `Removed webhook ${webhook.id}.`,
    };
  },
});

export const listWebhooksCommand = lookCommand({
  name: 'access webhook list',
  fields: companyFields,
  examples: ['access webhook list --partner 1'],
  async look(database, input) {
    const webhooks = await listWebhooks(database, await requireCompany(database, input));
    return {
      json: webhooks,
      text: textTable(webhooks, [
        numbers('id', (row) => row.id),
        column('address', (row) => row.url),
        column('description', (row) => row.description || null),
        column('events', (row) => row.types?.join(' ') ?? 'all'),
        column('status', (row) => row.status),
        column('since', (row) => timeText(row.statusSince)),
        column('reason', (row) => row.statusReason),
        column('failing since', (row) => row.failingSince && timeText(row.failingSince)),
      ]),
    };
  },
});

export const testWebhookCommand = changeCommand({
  name: 'access webhook test',
  action: 'test webhook',
  details: 'See its answer with "access webhook list-deliveries".',
  fields: { id: webhookId },
  examples: ['access webhook test 7'],
  async change(transaction, input) {
    const webhook = await requireWebhook(transaction, input.id);
    requireActive(webhook);
    const deliveryId = await requestTestEvent(transaction, webhook.id);
    if (deliveryId === undefined) return { unchanged: 'No change: a test event is on its way.' };
    return {
      subject: companyOfWebhook(webhook),
      details: { webhookId: webhook.id, deliveryId },
      text: `Sent a test event to webhook ${webhook.id} as delivery ${deliveryId}.`,
    };
  },
});

function requireActive({ id, status }: WebhookEndpoint): void {
  if (status !== 'ACTIVE')
    throw new AdminError(`Webhook ${id} is ${status}: use "access webhook resume ${id}" first.`);
}

export const sendAgainCommand = changeCommand({
  name: 'access webhook send-again',
  action: 'send-again webhook',
  details:
    'Name one delivery, all that failed, or the time in which the deliveries were made. At most 10,000 ' +
    'are sent again, the oldest first. Receivers discard duplicates by their id.',
  fields: {
    id: webhookId,
    delivery: optional(id, 'The id of one delivery: see access webhook list-deliveries'),
    failed: flag('All deliveries that failed'),
    from: optional(beginning, 'A day (UTC) or a time'),
    to: optional(ending, 'A day (UTC), included, or a time, excluded'),
  },
  examples: [
    'access webhook send-again 7 --delivery 1234',
    'access webhook send-again 7 --failed',
    'access webhook send-again 7 --from 2026-11-20 --to 2026-11-20',
  ],
  async change(transaction, input, { webhookServices }) {
    const webhook = await requireWebhook(transaction, input.id);
    requireActive(webhook);
    const { webhookRetrySeconds } = webhookServices().settings.webhooks;
    const sent = await sendAgain(transaction, webhook.id, selectionOf(input), webhookRetrySeconds);
    if (sent === 0) return { unchanged: 'No change: there is no such delivery.' };
    return {
      subject: companyOfWebhook(webhook),
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
  name: 'access webhook list-deliveries',
  fields: { id: webhookId, failed: flag('Only those that failed') },
  examples: ['access webhook list-deliveries 7', 'access webhook list-deliveries 7 --failed'],
  async look(database, input) {
    await requireWebhook(database, input.id);
    const status = input.failed ? 'FAILED' : undefined;
    const deliveries = await listDeliveries(database, input.id, { status, limit: 50 });
    return {
      json: deliveries,
      text: textTable(deliveries, [
        numbers('id', (row) => row.id),
        column('made', (row) => timeText(row.createdAt)),
        column('event', (row) => row.type),
        column('about', (row) => row.subject),
        column('status', (row) => row.status),
        numbers('attempts', (row) => row.attempts),
        numbers('answer', (row) => row.lastStatusCode),
        numbers('ms', (row) => row.lastMilliseconds),
        column('next', (row) => (row.status === 'PENDING' ? timeText(row.nextAttemptAt) : null)),
        column('problem', (row) => row.lastProblem),
      ]),
    };
  },
});
