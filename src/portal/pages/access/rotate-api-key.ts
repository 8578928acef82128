import { endApiKey, listApiKeys } from '../../../db/access/company-access.ts';
import { html } from '../../../rendering/html.ts';
import { changeAccess } from '../../access/change-access.ts';
import { ACCESS_PATH } from '../../access-path.ts';
import { postForm, time } from '../../layout/parts.ts';
import { type AccountPage, type AccountRequest, idOf } from '../../page.ts';
import { problems } from '../../problem-page.ts';
import { KEYS_PATH } from './api-keys.ts';
import { addKey, newKeyPage } from './make-api-key.ts';

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
