import type { AdminConfig } from '../config/config.ts';
import { createDigests, type Digests } from '../crypto/digests.ts';
import { createNumberBox } from '../crypto/phone-numbers.ts';
import { createSecretBox, type SecretBox } from '../crypto/secret-box.ts';
import type { NumberBox } from '../domain/phone.ts';
import type { KeyServices } from '../operations/api-keys.ts';
import type { WebhookServices } from '../operations/webhooks.ts';
import type { RepairBasis } from '../repairs/repair-kind.ts';
import { AdminError } from './fields.ts';

/** @throws {AdminError} where the secret is not set */
function given<Secret>(setting: string, secret: Secret | undefined): Secret {
  if (secret !== undefined) return secret;
  throw new AdminError(
    `This command needs the setting ${setting}: set it to the value of the API process.`,
  );
}

const digestsOf = ({ secrets: { digestKey, digestKeys } }: AdminConfig): Digests =>
  createDigests({ digestKey: given('DIGEST_KEY', digestKey), digestKeys });

const secretBoxOf = ({ secrets: { dataKeys } }: AdminConfig): SecretBox =>
  createSecretBox(given('DATA_KEYS', dataKeys));

/** The services that make API keys. @throws {AdminError} without a digest key */
export const keyServices = (settings: AdminConfig): KeyServices => ({
  digests: digestsOf(settings),
  settings,
});

/** The digests, and the box of sealed data. @throws {AdminError} without their keys */
export const digestsAndBox = (settings: AdminConfig) => ({
  digests: digestsOf(settings),
  secretBox: secretBoxOf(settings),
});

/** Seals and finds phone numbers. @throws {AdminError} without the keys */
export const numberBoxOf = ({ secrets }: AdminConfig): NumberBox =>
  createNumberBox({
    ...secrets,
    digestKey: given('DIGEST_KEY', secrets.digestKey),
    dataKeys: given('DATA_KEYS', secrets.dataKeys),
  });

/** The basis on which repairs are judged. Few repairs compare numbers, and only they need the keys. */
export const repairBasis = (settings: AdminConfig): RepairBasis => ({
  settings,
  numbers: { hashOf: (msisdn) => numberBoxOf(settings).hashOf(msisdn) },
});

/** What webhooks are registered with. @throws {AdminError} without the keys of the data */
export const webhookServices = (settings: AdminConfig): WebhookServices => ({
  secretBox: secretBoxOf(settings),
  settings,
});
