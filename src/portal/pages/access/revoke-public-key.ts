import {
  listPublicKeys,
  revokePublicKey as revokeInDatabase,
} from '../../../db/access/company-access.ts';
import { html } from '../../../rendering/html.ts';
import { changeAccess } from '../../access/change-access.ts';
import { ACCESS_PATH } from '../../access-path.ts';
import { confirmation } from '../../layout/parts.ts';
import { type AccountPage, type AccountRequest, idOf } from '../../page.ts';
import { problems } from '../../problem-page.ts';
import { fingerprintOf, PUBLIC_KEYS_PATH } from './public-keys.ts';

const validKeysOf = async ({ services, session }: AccountRequest) =>
  (await listPublicKeys(services.database, session.company.id)).filter(
    ({ revokedAt }) => revokedAt === null,
  );

/** Asks for confirmation before a public key is revoked. */
export const askRevokePublicKey: AccountPage = {
  method: 'GET',
  path: '/public-keys/:id/revoke',
  access: 'account',
  needs: 'develop',
  kind: 'merchant',
  async handle(request) {
    const { formToken } = request;
    const valid = await validKeysOf(request);
    const key = valid.find(({ id }) => id === idOf(request));
    if (key === undefined) return problems.notFound;
    return confirmation({
      title: 'Revoke this public key?',
      text: html`<p><code>${fingerprintOf(key)}</code></p>
<p>Calls signed with its private key are refused within two seconds.${
        valid.length === 1 && ' It is the last key: every signed call will be refused.'
      } This cannot be undone.</p>`,
      action: `${PUBLIC_KEYS_PATH}/${key.id}/revoke`,
      formToken,
      button: 'Revoke the key',
      back: `${ACCESS_PATH}#public-keys`,
    });
  },
};

/** Revokes a public key at once. */
export const revokePublicKey: AccountPage = {
  method: 'POST',
  path: '/public-keys/:id/revoke',
  access: 'account',
  needs: 'develop',
  confirmation: async (request) => {
    const key = (await validKeysOf(request)).find(({ id }) => id === idOf(request));
    return key && html`You are about to revoke the public key <code>${fingerprintOf(key)}</code>.`;
  },
  kind: 'merchant',
  async handle(request) {
    const publicKeyId = idOf(request);
    const revoked = await changeAccess(request, 'revoke public-key', async (transaction) => {
      const key = await revokeInDatabase(transaction, publicKeyId, request.session.company);
      if (key === undefined) return undefined;
      const fingerprint = fingerprintOf(key);
      return { result: fingerprint, details: { publicKeyId, fingerprint } };
    });
    if (!revoked) return problems.notFound;
    return {
      kind: 'redirect',
      to: ACCESS_PATH,
      notice: `The public key ${revoked.slice(0, 8)}… is revoked.`,
    };
  },
};
