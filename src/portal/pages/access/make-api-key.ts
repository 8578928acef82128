import { sealApiKey } from '../../../crypto/api-key-copies.ts';
import { randomApiKey } from '../../../crypto/random.ts';
import { listApiKeys } from '../../../db/access/company-access.ts';
import { addApiKey } from '../../../db/catalogue/companies.ts';
import type { DatabaseTransaction } from '../../../db/connection.ts';
import type { ApiKeyPower } from '../../../domain/access/api-key.ts';
import { type Html, html } from '../../../rendering/html.ts';
import { changeAccess } from '../../access/change-access.ts';
import { keyPage } from '../../access/key-page.ts';
import { NO_SCOPE, readScopes } from '../../access/key-scopes.ts';
import { readName } from '../../layout/form.ts';
import { type AccountPage, type AccountRequest, type PageAnswer, PORTAL_PATH } from '../../page.ts';
import { accessPage } from './access.ts';
import { KEY_NAME_LENGTH } from './api-keys.ts';

/** A practical limit that keeps the list readable. */
const MAXIMUM_WORKING_KEYS = 10;

/** Makes a key and shows it. */
export const makeApiKey: AccountPage = {
  method: 'POST',
  path: '/keys',
  access: 'account',
  needs: 'develop',
  confirmation: ({ form }) =>
    html`You are about to make the key “${form.text('name').slice(0, KEY_NAME_LENGTH)}”.`,
  async handle(request) {
    const given = request.form.text('name');
    const scopes = readScopes(request.form, request.session.company);
    const name = readName(given, KEY_NAME_LENGTH);
    if (name === undefined) {
      const problem = `Enter a name of 1 to ${KEY_NAME_LENGTH} characters, in one line.`;
      return accessPage(request, {
        newKey: { name: given.slice(0, KEY_NAME_LENGTH), scopes, problem },
      });
    }
    if (scopes.length === 0)
      return accessPage(request, { newKey: { name, scopes, scopesProblem: NO_SCOPE } });
    const made = await changeAccess(request, 'issue api-key', async (transaction) => {
      const problem = await problemOf(transaction, request, name);
      return problem === undefined
        ? await addKey(transaction, request, { name, scopes })
        : undefined;
    });
    if (made !== undefined) return newKeyPage(request, { name, key: made });
    const problem = await problemOf(request.services.database, request, name);
    return accessPage(request, {
      newKey: { name, scopes, problem: problem ?? 'The key was not made. Try again.' },
    });
  },
};

/**
 * Why a key with this name cannot be made. Names are unique among the working keys, so that a form
 * sent twice makes one key.
 */
async function problemOf(
  database: DatabaseTransaction | AccountRequest['services']['database'],
  { session }: AccountRequest,
  name: string,
): Promise<string | undefined> {
  const keys = await listApiKeys(database, session.company);
  const working = keys.filter(({ status }) => status === 'VALID' || status === 'ENDING');
  if (working.some((key) => key.name === name))
    return 'A working key already has this name: rotate or revoke it, or choose another name.';
  if (working.length >= MAXIMUM_WORKING_KEYS)
    return `There are already ${MAXIMUM_WORKING_KEYS} working keys: revoke an unused one first.`;
  return undefined;
}

type NewKey = { readonly name: string } & Pick<ApiKeyPower, 'scopes'> & Partial<ApiKeyPower>;

/** Adds a key for the company; only the answer holds it in clear. */
export async function addKey(
  transaction: DatabaseTransaction,
  { services, session }: AccountRequest,
  { name, ...power }: NewKey,
) {
  const { key, prefix } = randomApiKey(services.settings.environment);
  const digest = services.digests.apiKey(key);
  const ciphertext = sealApiKey(services.keyCopies, { key, digest });
  const apiKey = { name, prefix, digest, ciphertext, ...power };
  const keyId = await addApiKey(transaction, session.company, apiKey);
  return { result: key, details: { keyId, name, prefix, ...power } };
}

/** The page of a new key. */
export const newKeyPage = (
  request: AccountRequest,
  shown: { readonly name: string; readonly key: string; readonly before?: Html },
): PageAnswer =>
  keyPage(request, {
    title: 'New key',
    heading: 'Your new key',
    name: shown.name,
    key: shown.key,
    warning: request.services.keyCopies
      ? html`<strong>Copy it now.</strong> You can copy it again later, with a proof that it is you, until it is
replaced or revoked.`
      : html`<strong>Copy it now: it is shown only once.</strong> We store only its digest and cannot
show it again.`,
    further: html`${shown.before} Then make a call with it: <a href="${PORTAL_PATH}/try-it">Try it</a>.`,
  });
