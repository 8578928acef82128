import { openApiKey } from '../../../crypto/api-key-copies.js';
import { findApiKeyCopy } from '../../../db/access/company-access.js';
import { describeError } from '../../../process/describe-error.js';
import { html } from '../../../process/html.js';
import { changeAccess } from '../../access/change-access.js';
import { keyPage } from '../../access/key-page.js';
import { checkPresentPassword } from '../../access/present-password.js';
import { ACCESS_PATH } from '../../access-path.js';
import { field, postForm } from '../../layout/parts.js';
import { type AccountPage, type AccountRequest, idOf, type PageAnswer } from '../../page.js';
import { problems } from '../../problem-page.js';
import { KEYS_PATH } from './api-keys.js';

/** Asks for the password before a key is shown again. */
export const askCopyApiKey: AccountPage = {
  method: 'GET',
  path: '/keys/:id/copy',
  access: 'account',
  handle: (request) => passwordPage(request),
};

/** Shows a key again after the password; the audit log records each time. */
export const copyApiKey: AccountPage = {
  method: 'POST',
  path: '/keys/:id/copy',
  access: 'account',
  async handle(request) {
    const { keyCopies, logger } = request.services;
    if (keyCopies === undefined) return problems.notFound;
    const checked = await checkPresentPassword(request);
    if (!checked.isRight) return passwordPage(request, checked);
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

async function passwordPage(
  request: AccountRequest,
  wrong?: { readonly problem: string; readonly waitSeconds?: number },
): Promise<PageAnswer> {
  const { services, session, formToken } = request;
  const key = await findApiKeyCopy(services.database, idOf(request), session.company);
  if (services.keyCopies === undefined || key === undefined) return problems.notFound;
  return {
    kind: 'page',
    title: 'Copy a key',
    ...(wrong ? { status: wrong.waitSeconds === undefined ? 422 : 429 } : {}),
    ...(wrong?.waitSeconds === undefined ? {} : { retryAfterSeconds: wrong.waitSeconds }),
    content: html`<h1>Copy the key “${key.name}”</h1>
<section class="card"><p>Enter your password to see the key that begins with
<code>${key.prefix}…</code>.</p>
${postForm(
  { action: `${KEYS_PATH}/${idOf(request)}/copy`, formToken },
  html`${field({
    name: 'password',
    label: 'Current password',
    type: 'password',
    autocomplete: 'current-password',
    error: wrong?.problem,
  })}
<p class="actions"><button>Show the key</button><a href="${ACCESS_PATH}#keys">Back</a></p>`,
)}</section>`,
  };
}
