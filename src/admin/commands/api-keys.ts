import { randomApiKey } from '../../crypto/random.js';
import { addApiKey } from '../../db/companies.js';
import { listApiKeys, revokeApiKey } from '../../db/company-access.js';
import { AdminError } from '../admin-error.js';
import { changeCommand, lookCommand } from '../command.js';
import { argument, id, required, text } from '../fields.js';
import { companyFields, ownerOf, requireCompany } from '../subjects.js';
import { column, numbers, table, time } from '../tables.js';

export const issueApiKey = changeCommand({
  name: 'issue api-key',
  summary: 'Make an API key for a partner or a merchant and show it once',
  details:
    'Only a digest of the key is stored: what is shown now cannot be shown again. Several keys ' +
    'of a company are valid side by side, so issue the new one before you revoke the old one. ' +
    'Needs the settings DIGEST_KEY and ENVIRONMENT of the service, unless "npm start" runs it.',
  fields: {
    ...companyFields,
    name: required(text, 'What people call the key, such as the server that will use it'),
  },
  examples: [
    'issue api-key --partner 1 --name "Web shop"',
    'issue api-key --merchant 3 --name Till',
  ],
  async change(transaction, input, { keySettings }) {
    const { digests, environment } = keySettings();
    const company = await requireCompany(transaction, input);
    const { key, prefix } = randomApiKey(environment);
    const keyId = await addApiKey(transaction, company, {
      name: input.name,
      prefix,
      digest: digests.apiKey(key),
    });
    return {
      subject: company,
      details: { keyId, name: input.name, prefix },
      text:
        `Issued API key ${keyId} (${input.name}) to ${company.kind} ${company.id}. ` +
        `It is shown only now:\n\n  ${key}\n`,
      shownOnce: { key },
    };
  },
});

export const revokeApiKeyCommand = changeCommand({
  name: 'revoke api-key',
  summary: 'Make an API key, and every token that it was given, invalid',
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

/** API keys as a table, each by the beginning that people recognise it by. */
export const apiKeyTable = (keys: readonly ListedKey[]): string =>
  table(keys, [
    numbers('id', (row) => row.id),
    column('name', (row) => row.name),
    column('begins with', (row) => row.prefix),
    column('issued', (row) => time(row.createdAt)),
    column('revoked', (row) => row.revokedAt && time(row.revokedAt)),
  ]);

export const listApiKeysCommand = lookCommand({
  name: 'list api-keys',
  summary: 'Show the API keys of a partner or a merchant, revoked ones too',
  fields: companyFields,
  examples: ['list api-keys --partner 1'],
  async look(database, input) {
    const keys = await listApiKeys(database, await requireCompany(database, input));
    return { json: keys, text: apiKeyTable(keys) };
  },
});
