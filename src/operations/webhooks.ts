import type { Config } from '../config/config.ts';
import { createSecretBox, type SecretBox } from '../crypto/secret-box.ts';
import { randomWebhookSecret, sealWebhookSecret } from '../crypto/webhook-secrets.ts';
import type { DatabaseTransaction } from '../db/connection.ts';
import {
  addWebhook,
  addWebhookSecret,
  listWebhooks,
  type WebhookEndpoint,
} from '../db/webhooks/endpoints.ts';
import { eventTypesOf, readWebhookUrl } from '../domain/events.ts';
import type { Company } from '../domain/vouchers/voucher.ts';

/** Longest description of a webhook. */
export const WEBHOOK_DESCRIPTION_LENGTH = 100;

/** The settings of webhooks. */
export interface WebhookSettings {
  readonly secretBox: SecretBox;
  readonly perCompany: number;
  /** For development: admits http and private networks. */
  readonly allowsPrivate: boolean;
  /** Time that an old secret signs after a rotation. */
  readonly overlapHours: number;
  /** Time after which a failed attempt of a delivery is the last one. */
  readonly retrySeconds: number;
}

interface NewWebhook {
  readonly company: Company;
  readonly url: string;
  readonly description: string;
  /** Empty: events of every type. */
  readonly types: readonly string[];
  readonly createdBy: string;
}

type Registration =
  | {
      readonly ok: true;
      readonly id: number;
      /** The canonical address. */
      readonly url: string;
      /** Shown once. */
      readonly secret: string;
    }
  | {
      readonly ok: false;
      readonly field: 'url' | 'description' | 'types';
      readonly problem: string;
    };

const refused = (
  field: Extract<Registration, { ok: false }>['field'],
  problem: string,
): Registration => ({ ok: false, field, problem });

/**
 * Registers a webhook with its first secret. The caller holds the lock of the company, so that the limit
 * holds.
 */
export async function registerWebhook(
  transaction: DatabaseTransaction,
  webhook: NewWebhook,
  rules: WebhookSettings,
): Promise<Registration> {
  const { company, description, types } = webhook;
  const read = readWebhookUrl(webhook.url, rules);
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
  const others = await listWebhooks(transaction, company);
  if (others.length >= rules.perCompany)
    return refused('url', `There are already ${rules.perCompany} webhooks: remove one first.`);
  if (others.some(({ url }) => url === read.url))
    return refused('url', 'This address is already registered.');
  const id = await addWebhook(transaction, {
    ...webhook,
    url: read.url,
    types: types.length === 0 ? null : [...new Set(types)],
  });
  const secret = await addSecret(transaction, id, rules.secretBox, 0);
  return { ok: true, id, url: read.url, secret };
}

/** Gives a webhook a new secret, and returns it; the old one signs beside it for the overlap. */
export const rotateWebhookSecret = (
  transaction: DatabaseTransaction,
  { id }: Pick<WebhookEndpoint, 'id'>,
  { secretBox, overlapHours }: Pick<WebhookSettings, 'secretBox' | 'overlapHours'>,
): Promise<string> => addSecret(transaction, id, secretBox, overlapHours);

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

/** Time that the old secret of a webhook still signs after a rotation. */
const SECRET_OVERLAP_HOURS = 24;

/** The settings of webhooks, for the API and the operator's command line. */
export const webhookSettingsOf = (
  config: Pick<
    Config,
    | 'DATA_KEYS'
    | 'WEBHOOK_ENDPOINTS_PER_COMPANY'
    | 'WEBHOOK_PRIVATE_NETWORKS'
    | 'WEBHOOK_RETRY_SECONDS'
  >,
): WebhookSettings => ({
  secretBox: createSecretBox(config.DATA_KEYS),
  perCompany: config.WEBHOOK_ENDPOINTS_PER_COMPANY,
  allowsPrivate: config.WEBHOOK_PRIVATE_NETWORKS === 'on',
  overlapHours: SECRET_OVERLAP_HOURS,
  retrySeconds: config.WEBHOOK_RETRY_SECONDS,
});
