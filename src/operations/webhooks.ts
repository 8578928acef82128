import type { Config } from '../config/config.ts';
import type { SecretBox } from '../crypto/secret-box.ts';
import { randomWebhookSecret, sealWebhookSecret } from '../crypto/webhook-secrets.ts';
import type { Database, DatabaseTransaction } from '../db/connection.ts';
import { requestTestEvent, type SentAgain, sendAgain } from '../db/webhooks/deliveries.ts';
import {
  addWebhook,
  addWebhookSecret,
  listWebhooks,
  removeWebhook,
  setWebhookStatus,
  type WebhookEndpoint,
} from '../db/webhooks/endpoints.ts';
import { eventTypesOf, readWebhookUrl } from '../domain/events.ts';
import type { Company } from '../domain/vouchers/voucher.ts';

/** Longest description of a webhook. */
export const WEBHOOK_DESCRIPTION_LENGTH = 100;

/** Time that the old secret of a webhook still signs after a rotation. */
export const WEBHOOK_SECRET_OVERLAP_HOURS = 24;

/** The services that register a webhook. */
export interface WebhookServices {
  readonly secretBox: SecretBox;
  readonly settings: Pick<Config, 'webhooks'>;
}

interface NewWebhook {
  readonly company: Company;
  readonly url: string;
  readonly description: string;
  /** Empty: events of every type. */
  readonly types: readonly string[];
  readonly createdBy: string;
}

interface Refused {
  readonly ok: false;
  readonly field: 'url' | 'description' | 'types';
  readonly problem: string;
}

const refused = (field: Refused['field'], problem: string): Refused => ({
  ok: false,
  field,
  problem,
});

/** The canonical address of a webhook that can be registered; else the problem. */
export async function checkWebhook(
  database: Database,
  { company, description, types, ...webhook }: Omit<NewWebhook, 'createdBy'>,
  { settings: { webhooks } }: Pick<WebhookServices, 'settings'>,
): Promise<{ readonly ok: true; readonly url: string } | Refused> {
  const read = readWebhookUrl(webhook.url, {
    allowsPrivate: webhooks.webhookPrivateNetworks === 'on',
  });
  if (!read.ok) return refused('url', `The address ${read.problem}.`);
  if (description.length > WEBHOOK_DESCRIPTION_LENGTH)
    return refused(
      'description',
      `The description is longer than ${WEBHOOK_DESCRIPTION_LENGTH} characters.`,
    );
  const known: readonly string[] = eventTypesOf(company.kind);
  const unknown = types.find((type) => !known.includes(type));
  if (unknown !== undefined)
    return refused('types', `A ${company.kind} gets no events of the type "${unknown}".`);
  const others = await listWebhooks(database, company);
  if (others.length >= webhooks.webhookEndpointsPerCompany)
    return refused(
      'url',
      `There are already ${webhooks.webhookEndpointsPerCompany} webhooks: remove one first.`,
    );
  if (others.some(({ url }) => url === read.url))
    return refused('url', 'This address is already registered.');
  return { ok: true, url: read.url };
}

/**
 * Registers a webhook with its first secret, which is shown once. The caller holds the lock of the company, so that the
 * limit holds.
 */
export async function registerWebhook(
  transaction: DatabaseTransaction,
  webhook: NewWebhook,
  services: WebhookServices,
) {
  const checked = await checkWebhook(transaction, webhook, services);
  if (!checked.ok) return checked;
  const { types } = webhook;
  const id = await addWebhook(transaction, {
    ...webhook,
    url: checked.url,
    types: types.length === 0 ? null : [...new Set(types)],
  });
  const secret = await addSecret(transaction, id, services.secretBox, 0);
  return { ...checked, id, secret, details: { ...entryOf({ id, url: checked.url }), types } };
}

/** Gives a webhook a new secret, and returns it; the old secret also signs for the overlap. */
export async function rotateWebhookSecret(
  transaction: DatabaseTransaction,
  webhook: Pick<WebhookEndpoint, 'id' | 'url'>,
  {
    secretBox,
    overlapHours = WEBHOOK_SECRET_OVERLAP_HOURS,
  }: Pick<WebhookServices, 'secretBox'> & { readonly overlapHours?: number },
) {
  const secret = await addSecret(transaction, webhook.id, secretBox, overlapHours);
  return { secret, details: { ...entryOf(webhook), overlapHours } };
}

/**
 * Starts the details of a change in the audit log; a change that changed nothing answers none. The activity of the
 * company names the webhook by its address.
 */
const entryOf = ({ id, url }: Pick<WebhookEndpoint, 'id' | 'url'>) => ({ webhookId: id, url });

/**
 * Pauses a webhook, or resumes it. A resumed one gets what it has missed: also events that were given up, and those
 * that waited for their next attempt when it was paused.
 */
export async function switchWebhook(
  transaction: DatabaseTransaction,
  webhook: WebhookEndpoint,
  { status, reason }: { readonly status: 'DISABLED' | 'ACTIVE'; readonly reason: string },
  { webhooks }: WebhookServices['settings'],
) {
  if (webhook.status === status) return undefined;
  // Deliveries are locked before their webhook, as by an attempt that ends meanwhile.
  if (status === 'ACTIVE')
    await sendAgain(transaction, webhook.id, { kind: 'undelivered' }, webhooks.webhookRetrySeconds);
  if (!(await setWebhookStatus(transaction, webhook.id, status, reason))) return undefined;
  return { ...entryOf(webhook), status };
}

/** Sends a test event to an active webhook, unless one is on its way. */
export async function testWebhook(transaction: DatabaseTransaction, webhook: WebhookEndpoint) {
  if (webhook.status !== 'ACTIVE') return undefined;
  const deliveryId = await requestTestEvent(transaction, webhook.id);
  return deliveryId === undefined ? undefined : { ...entryOf(webhook), deliveryId };
}

/** Sends deliveries of an active webhook again. */
export async function sendWebhookAgain(
  transaction: DatabaseTransaction,
  webhook: WebhookEndpoint,
  which: SentAgain,
  { webhooks }: WebhookServices['settings'],
) {
  if (webhook.status !== 'ACTIVE') return undefined;
  const sent = await sendAgain(transaction, webhook.id, which, webhooks.webhookRetrySeconds);
  return sent === 0 ? undefined : { ...entryOf(webhook), sent };
}

/** Removes a webhook: what was not delivered yet is not delivered any more. */
export async function endWebhook(transaction: DatabaseTransaction, webhook: WebhookEndpoint) {
  await removeWebhook(transaction, webhook.id);
  return entryOf(webhook);
}

async function addSecret(
  transaction: DatabaseTransaction,
  id: number,
  box: SecretBox,
  overlapHours: number,
): Promise<string> {
  const secret = randomWebhookSecret();
  const ciphertext = sealWebhookSecret(box, id, secret);
  await addWebhookSecret(transaction, id, { ciphertext, overlapHours });
  return secret;
}
