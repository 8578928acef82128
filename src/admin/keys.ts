import type { AdminConfig } from '../config/config.ts';
import { createDigests, type Digests } from '../crypto/digests.ts';
import { createNumberBox } from '../crypto/phone-numbers.ts';
import { createSecretBox, type SecretBox } from '../crypto/secret-box.ts';
import type { NumberBox } from '../domain/phone.ts';
import type { KeyServices } from '../operations/api-keys.ts';
import type { WebhookServices } from '../operations/webhooks.ts';
import type { RepairBasis } from '../repairs/repair-kind.ts';
import { AdminError } from './fields.ts';

/** @throws {AdminError} without the keys of digests or of the data */
function keysOf({ digestKey, digestKeys, dataKeys }: AdminConfig['secrets'], whatNeeds: string) {
  if (digestKey === undefined || dataKeys === undefined)
    throw new AdminError(`${whatNeeds}: set them to the values of the API process.`);
  return { digestKey, digestKeys, dataKeys };
}

/** The services that make API keys. @throws {AdminError} without a digest key */
export function keyServices(settings: AdminConfig): KeyServices {
  const { digestKey, digestKeys } = settings.secrets;
  if (digestKey !== undefined)
    return { digests: createDigests({ digestKey, digestKeys }), settings };
  throw new AdminError(
    'API keys need the setting DIGEST_KEY: set it to the value of the API process.',
  );
}

/** The digests, and the box of sealed data. @throws {AdminError} without their keys */
export function digestsAndBox({ secrets }: AdminConfig): {
  readonly digests: Digests;
  readonly secretBox: SecretBox;
} {
  const { digestKey, digestKeys, dataKeys } = keysOf(
    secrets,
    'Digests need the settings DIGEST_KEY, DIGEST_KEYS and DATA_KEYS',
  );
  return {
    digests: createDigests({ digestKey, digestKeys }),
    secretBox: createSecretBox(dataKeys),
  };
}

/** Seals and finds phone numbers. @throws {AdminError} without the keys */
export const numberBoxOf = ({ secrets }: AdminConfig): NumberBox =>
  createNumberBox(keysOf(secrets, 'Phone numbers need the settings DIGEST_KEY and DATA_KEYS'));

/** The basis on which repairs are judged. Few repairs compare numbers, and only they need the keys. */
export const repairBasis = (settings: AdminConfig): RepairBasis => ({
  settings,
  numbers: { hashOf: (msisdn) => numberBoxOf(settings).hashOf(msisdn) },
});

/** What webhooks are registered with. @throws {AdminError} without the keys of the data */
export function webhookServices(settings: AdminConfig): WebhookServices {
  const { dataKeys } = settings.secrets;
  if (dataKeys !== undefined) return { secretBox: createSecretBox(dataKeys), settings };
  throw new AdminError(
    'Webhooks need the setting DATA_KEYS: set it to the value of the API process.',
  );
}
