import { randomApiKey } from '../../../crypto/random.ts';
import { endApiKey, listApiKeys, revokeApiKey } from '../../../db/access/company-access.ts';
import { addApiKey } from '../../../db/catalogue/companies.ts';
import { needsRotation, ROTATION_WARNING_DAYS } from '../../../domain/access/api-key.ts';
import { scopesOf } from '../../../domain/access/scope.ts';
import { AdminError } from '../../admin-error.ts';
import { changeCommand, lookCommand } from '../../command.ts';
import { argument, id, optional, required, text, wholeNumber } from '../../fields.ts';
import { companyFields, ownerOf, requireCompany } from '../../record-names.ts';
import { column, numbers, table, time } from '../../tables.ts';
import { dailyLimits } from './daily-limits.ts';
import { requireScopes, scopeList } from './key-scopes.ts';

export const issueApiKey = changeCommand({
  name: 'issue api-key',
  details:
    'Only a digest of the key is stored, so the key cannot be shown again. Several keys of a ' +
    'company can be valid together, so issue the new one before you revoke the old one. ' +
    'Needs the settings DIGEST_KEY and ENVIRONMENT of the service, unless "npm start" runs it.',
  fields: {
    ...companyFields,
    name: required(text, 'The name of the key, such as the server that will use it'),
    scopes: optional(scopeList, 'What the key may do; everything by default'),
  },
  examples: [
    'issue api-key --partner 1 --name "Web shop"',
    'issue api-key --merchant 3 --name Till',
    'issue api-key --partner 1 --name Reports --scopes read',
  ],
  async change(transaction, input, { keySettings }) {
    const { digests, environment } = keySettings();
    const company = await requireCompany(transaction, input);
    const { key, prefix } = randomApiKey(environment);
    const scopes = input.scopes ? requireScopes(company, input.scopes) : scopesOf(company.kind);
    const keyId = await addApiKey(transaction, company, {
      name: input.name,
      prefix,
      digest: digests.apiKey(key),
      scopes,
    });
    return {
      subject: company,
      details: { keyId, name: input.name, prefix, scopes },
      text:
        `Issued API key ${keyId} (${input.name}) to ${company.kind} ${company.id}. ` +
        `It is shown only now:\n\n  ${key}\n`,
      secretOutput: { key },
    };
  },
});

/** How long the old key works after a rotation. */
const OVERLAP_HOURS = 24;

export const rotateApiKey = changeCommand({
  name: 'rotate api-key',
  details:
    'The new key has the scopes and limits of the old one, which expires after the overlap; install the new one before. The new key is shown ' +
    'once. The command needs the settings of "issue api-key".',
  fields: {
    id: argument(id, 'The id of the old key: see list api-keys'),
    overlapHours: optional(
      wholeNumber(0, 720),
      `How long the old key still works; ${OVERLAP_HOURS} by default`,
    ),
  },
  examples: ['rotate api-key 7', 'rotate api-key 7 --overlap-hours 0'],
  async change(transaction, input, { keySettings }) {
    const { digests, environment } = keySettings();
    const old = await endApiKey(transaction, input.id, input.overlapHours ?? OVERLAP_HOURS);
    if (!old?.expiresAt)
      throw new AdminError(
        `There is no valid API key ${input.id} without an end: see "list api-keys".`,
      );
    const company = ownerOf(old);
    const { key, prefix } = randomApiKey(environment);
    const digest = digests.apiKey(key);
    const { name, scopes, dailyAmount, dailyOperations } = old;
    const power = { scopes, dailyAmount, dailyOperations };
    const keyId = await addApiKey(transaction, company, { name, prefix, digest, ...power });
    const replaced = { keyId: input.id, prefix: old.prefix, expiresAt: old.expiresAt };
    return {
      subject: company,
      details: { keyId, name, prefix, ...power, replaced },
      text:
        `Issued API key ${keyId} (${name}) to ${company.kind} ${company.id}. Key ${input.id} ` +
        `works until ${time(old.expiresAt)} UTC. The new key is shown only now:\n\n  ${key}\n`,
      secretOutput: { key },
    };
  },
});

export const revokeApiKeyCommand = changeCommand({
  name: 'revoke api-key',
  details: 'Calls with it are refused within two seconds.',
  fields: { id: argument(id, 'The id of the key: see list api-keys') },
  examples: ['revoke api-key 7'],
  async change(transaction, input) {
    const key = await revokeApiKey(transaction, input.id);
    if (!key) throw new AdminError(`There is no valid API key ${input.id}: see "list api-keys".`);
    const company = ownerOf(key);
    return {
      subject: company,
      details: { keyId: input.id, name: key.name, prefix: key.prefix },
      text: `Revoked API key ${input.id} (${key.name}) of ${company.kind} ${company.id}.`,
    };
  },
});

type ListedKey = Awaited<ReturnType<typeof listApiKeys>>[number];

/**
 * API keys as a table, identified by their prefixes. ROTATE marks keys beyond the recommended age
 * (specification 5).
 */
export const apiKeyTable = (keys: readonly ListedKey[]): string =>
  table(keys, [
    numbers('id', (row) => row.id),
    column('name', (row) => row.name),
    column('begins with', (row) => row.prefix),
    column('scopes', (row) => row.scopes.join(', ')),
    column('a day', dailyLimits),
    column('status', (row) => (needsRotation(row) ? 'ROTATE' : row.status)),
    column('issued', (row) => time(row.createdAt)),
    numbers('days', (row) => row.ageDays),
    column('last used', (row) => row.lastUsedAt && time(row.lastUsedAt)),
    column('from', (row) => row.lastUsedAddress),
    column('ends', (row) => row.expiresAt && time(row.expiresAt)),
    column('revoked', (row) => row.revokedAt && time(row.revokedAt)),
  ]);

export const listApiKeysCommand = lookCommand({
  name: 'list api-keys',
  details: `ROTATE marks keys that are ${ROTATION_WARNING_DAYS} days old or older.`,
  fields: companyFields,
  examples: ['list api-keys --partner 1'],
  async look(database, input) {
    const keys = await listApiKeys(database, await requireCompany(database, input));
    return { json: keys, text: apiKeyTable(keys) };
  },
});
