import { readPublicKey, registrationProblem } from '../../access/public-key-registration.ts';
import type { AccountPage } from '../../page.ts';
import { accessPage } from './access.ts';
import { proofPage } from './prove-public-key.ts';

/**
 * Reads a pasted or uploaded public key and asks for a proof of the private key. Messages about the
 * key are those of the API. Nothing is registered yet.
 */
export const registerPublicKey: AccountPage = {
  method: 'POST',
  path: '/public-keys',
  access: 'account',
  needs: 'develop',
  confirmation: 'none',
  kind: 'merchant',
  form: 'with-file',
  async handle(request) {
    const { form, session, services } = request;
    const text = form.text('pem').trim() === '' ? form.text('file') : form.text('pem');
    const read = readPublicKey(text);
    if (!read.ok) return accessPage(request, { publicKey: read });
    const problem = await registrationProblem(services.database, session.company.id, read.key);
    return problem === undefined
      ? proofPage(request, read.key)
      : accessPage(request, { publicKey: { problem } });
  },
};
