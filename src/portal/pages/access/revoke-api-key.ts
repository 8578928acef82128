import { revokeApiKey as revokeInDatabase } from '../../../db/access/company-access.ts';
import { html } from '../../../rendering/html.ts';
import { changeAccess } from '../../access/change-access.ts';
import { ACCESS_PATH } from '../../access-path.ts';
import { confirmation, time } from '../../layout/parts.ts';
import { type AccountPage, idOf } from '../../page.ts';
import { problems } from '../../problem-page.ts';
import { KEYS_PATH } from './api-keys.ts';
import { findValidKey } from './rotate-api-key.ts';

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
