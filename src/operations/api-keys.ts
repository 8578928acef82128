import type { Config } from '../config/config.ts';
import { type Digests, sealApiKey } from '../crypto/digests.ts';
import { randomApiKey } from '../crypto/random.ts';
import type { SecretBox } from '../crypto/secret-box.ts';
import { endApiKey } from '../db/access/company-access.ts';
import { addApiKey, companyOfRow } from '../db/catalogue/companies.ts';
import type { Database, DatabaseTransaction } from '../db/connection.ts';
import type { ApiKeyPower } from '../domain/access.ts';
import type { Company } from '../domain/vouchers/voucher.ts';

/** The services that make API keys. */
export interface KeyServices {
  readonly digests: Pick<Digests, 'apiKey'>;
  /** Seals keys that can be copied again; undefined where keys are not stored. */
  readonly keyCopies?: SecretBox | undefined;
  readonly settings: { readonly process: Pick<Config['process'], 'environment'> };
}

/**
 * Makes an API key of a company; only the answer holds it in clear. Its details are those of its entry in the audit log.
 * By default it has all scopes, and no daily limit.
 */
export async function issueApiKey(
  database: Database,
  company: Company,
  { name, ...power }: { readonly name: string } & Partial<ApiKeyPower>,
  { digests, keyCopies, settings }: KeyServices,
) {
  const { key, prefix } = randomApiKey(settings.process.environment);
  const digest = digests.apiKey(key);
  const ciphertext = sealApiKey(keyCopies, { key, digest });
  const apiKey = { name, prefix, digest, ciphertext, ...power };
  const keyId = await addApiKey(database, company, apiKey);
  return { key, details: { keyId, name, prefix, ...power } };
}

/**
 * Replaces an API key by a new one with its name and its power; both work for some hours. Undefined where there is no
 * such key without an end.
 */
export async function rotateApiKey(
  transaction: DatabaseTransaction,
  {
    id,
    overlapHours,
    owner,
  }: {
    readonly id: number;
    readonly overlapHours: number;
    /** Any company where it is absent. */
    readonly owner?: Company;
  },
  services: KeyServices,
) {
  const old = await endApiKey(transaction, id, overlapHours, owner);
  if (!old?.expiresAt) return undefined;
  const { name, prefix, expiresAt, scopes, dailyAmount, dailyOperations } = old;
  const company = companyOfRow(old);
  const successor = { name, scopes, dailyAmount, dailyOperations };
  const { key, details } = await issueApiKey(transaction, company, successor, services);
  const replaced = { keyId: id, prefix, expiresAt };
  return { key, name, company, expiresAt, details: { ...details, replaced } };
}
