import { openApiKey } from '../../../crypto/api-key-copies.ts';
import { findApiKeyCopy } from '../../../db/access/company-access.ts';
import { describeError } from '../../../process/describe-error.ts';
import { html } from '../../../rendering/html.ts';
import { changeAccess } from '../../access/change-access.ts';
import { checkProof, proofField, statusOf, type WrongProof } from '../../access/confirmation.ts';
import { keyPage } from '../../access/key-page.ts';
import { ACCESS_PATH } from '../../access-path.ts';
import { postForm } from '../../layout/parts.ts';
import { type AccountPage, type AccountRequest, idOf, type PageAnswer } from '../../page.ts';
import { problems } from '../../problem-page.ts';
import { KEYS_PATH } from './api-keys.ts';

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
