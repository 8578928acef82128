import { lockApiKey, setApiKeyScopes } from '../../../db/access/api-key-power.ts';
import type { Scope } from '../../../domain/access/scope.ts';
import { html } from '../../../rendering/html.ts';
import { changeAccess } from '../../access/change-access.ts';
import { NO_SCOPE, readScopes, scopeChoices } from '../../access/key-scopes.ts';
import { ACCESS_PATH } from '../../access-path.ts';
import { postForm } from '../../layout/parts.ts';
import { type AccountPage, type AccountRequest, idOf, type PageAnswer } from '../../page.ts';
import { problems } from '../../problem-page.ts';
import { KEYS_PATH } from './api-keys.ts';
import { findValidKey } from './rotate-api-key.ts';

/** Asks what a key may do. */
export const askKeyScopes: AccountPage = {
  method: 'GET',
  path: '/keys/:id/scopes',
  access: 'account',
  needs: 'develop',
  handle: (request) => scopesPage(request),
};

async function scopesPage(
  request: AccountRequest,
  wrong?: { readonly chosen: readonly Scope[]; readonly problem: string },
): Promise<PageAnswer> {
  const key = await findValidKey(request);
  if (key === undefined) return problems.notFound;
  const chosen = wrong?.chosen ?? key.scopes;
  return {
    kind: 'page',
    title: 'Scopes of a key',
    status: wrong ? 422 : 200,
    content: html`<h1>Scopes of the key “${key.name}”</h1>
<section class="card"><p>Calls that the key may not make are refused with 403 and the name of the scope. A change takes
effect within two seconds.</p>
${postForm(
  { action: `${KEYS_PATH}/${key.id}/scopes`, formToken: request.formToken },
  html`${scopeChoices(request.session.company, chosen, wrong?.problem)}
<p class="actions"><button>Save</button><a href="${ACCESS_PATH}#keys">Back</a></p>`,
)}</section>`,
  };
}

/** Replaces the scopes of a key. */
export const changeKeyScopes: AccountPage = {
  method: 'POST',
  path: '/keys/:id/scopes',
  access: 'account',
  needs: 'develop',
  confirmation: async (request) => {
    const key = await findValidKey(request);
    const scopes = readScopes(request.form, request.session.company).join(', ');
    return (
      key && html`You are about to give the key “${key.name}” the scopes <code>${scopes}</code>.`
    );
  },
  async handle(request) {
    const { company } = request.session;
    const after = readScopes(request.form, company);
    if (after.length === 0) return scopesPage(request, { chosen: [], problem: NO_SCOPE });
    const keyId = idOf(request);
    const changed = await changeAccess(request, 'set key-scopes', async (transaction) => {
      const key = await lockApiKey(transaction, keyId, company);
      if (key === undefined) return undefined;
      await setApiKeyScopes(transaction, keyId, after);
      const { name, prefix, scopes: before } = key;
      return { result: key, details: { keyId, name, prefix, before, after } };
    });
    if (changed === undefined) return problems.notFound;
    const notice = `The key “${changed.name}” has the scopes ${after.join(', ')}.`;
    return { kind: 'redirect', to: `${ACCESS_PATH}#keys`, notice };
  },
};
