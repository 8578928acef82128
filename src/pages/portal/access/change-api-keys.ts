import { openApiKey, sealApiKey } from '../../../crypto/digests.ts';
import { randomApiKey } from '../../../crypto/random.ts';
import {
  endApiKey,
  findApiKeyCopy,
  listApiKeys,
  revokeApiKey as revokeInDatabase,
} from '../../../db/access/company-access.ts';
import { addApiKey } from '../../../db/catalogue/companies.ts';
import type { DatabaseTransaction } from '../../../db/connection.ts';
import type { ApiKeyPower } from '../../../domain/access.ts';
import { type Html, html } from '../../../rendering/html.ts';
import { describeError } from '../../../runtime/process/logger.ts';
import { confirmation, copyField, message, postForm, time } from '../../layout/parts.ts';
import {
  type AccountPage,
  type AccountRequest,
  idOf,
  type PageAnswer,
  PORTAL_PATH,
  readName,
} from '../../page.ts';
import {
  changeAccess,
  checkProof,
  proofField,
  statusOf,
  type WrongProof,
} from '../../session/confirmation.ts';
import { ACCESS_PATH } from '../../session/session.ts';
import { problems } from '../problem-page.ts';
import { accessPage, KEY_NAME_LENGTH, KEYS_PATH, NO_SCOPE, readScopes } from './access.ts';

/** A page that shows an API key in clear; browsers cache no page of the portal. */
function keyPage(
  request: AccountRequest,
  shown: {
    readonly title: string;
    readonly heading: string;
    readonly name: string;
    readonly key: string;
    readonly warning: Html;
    readonly further?: Html | undefined;
  },
): PageAnswer {
  const isTest = request.services.settings.process.environment === 'test';
  return {
    kind: 'page',
    title: shown.title,
    content: html`<h1>${shown.heading}</h1>
<section class="card"><h2>${shown.name}</h2>
${message('warning', shown.warning)}
${copyField({ name: 'key', label: isTest ? 'Test key' : 'Live key', value: shown.key })}
${shown.further && html`<p>${shown.further}</p>`}
<p class="actions"><a class="button secondary" href="${ACCESS_PATH}#keys">I have copied it</a></p>
</section>`,
  };
}

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
async function addKey(
  transaction: DatabaseTransaction,
  { services, session }: AccountRequest,
  { name, ...power }: NewKey,
) {
  const { key, prefix } = randomApiKey(services.settings.process.environment);
  const digest = services.digests.apiKey(key);
  const ciphertext = sealApiKey(services.keyCopies, { key, digest });
  const apiKey = { name, prefix, digest, ciphertext, ...power };
  const keyId = await addApiKey(transaction, session.company, apiKey);
  return { result: key, details: { keyId, name, prefix, ...power } };
}

/** The page of a new key. */
const newKeyPage = (
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

/** Asks for a proof before a key is shown again. */
export const askCopyApiKey: AccountPage = {
  method: 'GET',
  path: '/keys/:id/copy',
  access: 'account',
  needs: 'develop',
  handle: (request) => proofPage(request),
};

/** Shows a key again after a proof; the audit log records each time. */
export const copyApiKey: AccountPage = {
  method: 'POST',
  path: '/keys/:id/copy',
  access: 'account',
  needs: 'develop',
  confirmation: 'each-time',
  async handle(request) {
    const { keyCopies, logger } = request.services;
    if (keyCopies === undefined) return problems.notFound;
    const wrong = await checkProof(request);
    if (wrong) return proofPage(request, wrong);
    const keyId = idOf(request);
    const copied = await changeAccess(request, 'copy api-key', async (transaction) => {
      const copy = await findApiKeyCopy(transaction, keyId, request.session.company);
      if (copy === undefined) return undefined;
      const { name, prefix } = copy;
      try {
        const key = openApiKey(keyCopies, copy);
        return { result: { name, key }, details: { keyId, name, prefix } };
      } catch (error) {
        logger.error({ ...describeError(error), keyId }, 'Could not decrypt an API key');
        return undefined;
      }
    });
    if (copied === undefined) return problems.keyNotKept;
    return keyPage(request, {
      title: 'A key',
      heading: 'Your key',
      name: copied.name,
      key: copied.key,
      warning: html`<strong>Keep it only on your servers.</strong> The activity of your account
records this copy.`,
    });
  },
};

async function proofPage(request: AccountRequest, wrong?: WrongProof): Promise<PageAnswer> {
  const { services, session, formToken } = request;
  const key = await findApiKeyCopy(services.database, idOf(request), session.company);
  if (services.keyCopies === undefined || key === undefined) return problems.notFound;
  return {
    kind: 'page',
    title: 'Copy a key',
    ...statusOf(wrong),
    content: html`<h1>Copy the key “${key.name}”</h1>
<section class="card"><p>Confirm that it is you to see the key that begins with
<code>${key.prefix}…</code>.</p>
${postForm(
  { action: `${KEYS_PATH}/${idOf(request)}/copy`, formToken },
  html`${proofField(request, wrong?.problem)}
<p class="actions"><button>Show the key</button><a href="${ACCESS_PATH}#keys">Back</a></p>`,
)}</section>`,
  };
}

/** How long the old key still works, in hours. */
const overlaps = [
  { hours: 24, label: '24 hours' },
  { hours: 72, label: '72 hours' },
  { hours: 0, label: 'Not at all: it may be leaked' },
] as const;

/** Asks how long the old key works beside the new one. */
export const askRotateApiKey: AccountPage = {
  method: 'GET',
  path: '/keys/:id/rotate',
  access: 'account',
  needs: 'develop',
  async handle(request) {
    const key = await findKey(request);
    if (key?.status !== 'VALID') return problems.notFound;
    const choices = overlaps.map(
      ({ hours, label }, index) => html`<label class="choice"><input type="radio" name="overlap"
 value="${hours}"${index === 0 && html` checked`}> <span>${label}</span></label>`,
    );
    return {
      kind: 'page',
      title: 'Rotate a key',
      content: html`<h1>Rotate the key “${key.name}”</h1>
<section class="card"><p>The service makes a new key with the same name, scopes and limits, and shows it once. The old key, which begins
with <code>${key.prefix}…</code>, expires by itself.</p>
${postForm(
  { action: `${KEYS_PATH}/${key.id}/rotate`, formToken: request.formToken },
  html`<fieldset><legend>How long should the old key still work?</legend>${choices}</fieldset>
<p class="actions"><button>Make the new key</button><a href="${ACCESS_PATH}#keys">Back</a></p>`,
)}</section>`,
    };
  },
};

/** Makes the new key and sets the expiry of the old one. */
export const rotateApiKey: AccountPage = {
  method: 'POST',
  path: '/keys/:id/rotate',
  access: 'account',
  needs: 'develop',
  confirmation: async (request) => {
    const key = await findValidKey(request);
    return key && html`You are about to replace the key “${key.name}” by a new one.`;
  },
  async handle(request) {
    const overlap = overlaps.find(({ hours }) => String(hours) === request.form.text('overlap'));
    if (overlap === undefined) return problems.invalid;
    const id = idOf(request);
    const made = await changeAccess(request, 'rotate api-key', async (transaction) => {
      const old = await endApiKey(transaction, id, overlap.hours, request.session.company);
      if (!old?.expiresAt) return undefined;
      const { name, prefix, expiresAt, scopes, dailyAmount, dailyOperations } = old;
      const successor = { name, scopes, dailyAmount, dailyOperations };
      const { result, details } = await addKey(transaction, request, successor);
      return {
        result: { key: result, name, expiresAt },
        details: { ...details, replaced: { keyId: id, prefix, expiresAt } },
      };
    });
    if (made === undefined) return problems.notFound;
    return newKeyPage(request, {
      ...made,
      before:
        overlap.hours === 0
          ? html`The old key no longer works.`
          : html`The old key works until ${time(made.expiresAt)}.`,
    });
  },
};

/** A key of the company that still works, if only for a time; undefined for all others. */
export async function findValidKey(request: AccountRequest) {
  const key = await findKey(request);
  return key?.status === 'VALID' || key?.status === 'ENDING' ? key : undefined;
}

/** A key of the company; undefined for unknown keys and keys of other companies. */
async function findKey(request: AccountRequest) {
  const keys = await listApiKeys(request.services.database, request.session.company);
  return keys.find(({ id }) => id === idOf(request));
}

/** Asks for confirmation before a key is revoked. */
export const askRevokeApiKey: AccountPage = {
  method: 'GET',
  path: '/keys/:id/revoke',
  access: 'account',
  needs: 'develop',
  async handle(request) {
    const key = await findValidKey(request);
    if (key === undefined) return problems.notFound;
    return confirmation({
      title: `Revoke the key “${key.name}”?`,
      text: html`<p>It begins with <code>${key.prefix}…</code> and was
${key.lastUsedAt ? html`last used ${time(key.lastUsedAt)}` : 'never used'}. Calls with it, and with its
tokens, are refused within two seconds. This cannot be undone.</p>`,
      action: `${KEYS_PATH}/${key.id}/revoke`,
      formToken: request.formToken,
      button: 'Revoke the key',
      back: `${ACCESS_PATH}#keys`,
    });
  },
};

/** Revokes a key at once. */
export const revokeApiKey: AccountPage = {
  method: 'POST',
  path: '/keys/:id/revoke',
  access: 'account',
  needs: 'develop',
  confirmation: async (request) => {
    const key = await findValidKey(request);
    return key && html`You are about to revoke the key “${key.name}”.`;
  },
  async handle(request) {
    const keyId = idOf(request);
    const revoked = await changeAccess(request, 'revoke api-key', async (transaction) => {
      const key = await revokeInDatabase(transaction, keyId, request.session.company);
      return key && { result: key, details: { keyId, name: key.name, prefix: key.prefix } };
    });
    if (revoked === undefined) return problems.notFound;
    return { kind: 'redirect', to: ACCESS_PATH, notice: `The key “${revoked.name}” is revoked.` };
  },
};
