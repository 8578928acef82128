import { addPublicKey } from '../../db/companies.js';
import { listPublicKeys } from '../../db/company-access.js';
import { parsePublicKey, publicKeyFingerprint } from '../../http/public-key.js';
import { PRIVATE_KEY_REFUSAL } from '../../http/public-key-text.js';
import { ACCESS_PATH } from '../access-path.js';
import { changeAccess } from '../change-access.js';
import type { AccountPage } from '../page.js';
import { accessPage } from './access.js';
import { fingerprintOf, MAXIMUM_PUBLIC_KEYS } from './public-keys.js';

/** Registers a pasted or uploaded public key; what is wrong with it is said as the API says it. */
export const registerPublicKey: AccountPage = {
  method: 'POST',
  path: '/public-keys',
  access: 'account',
  kind: 'merchant',
  form: 'with-file',
  async handle(request) {
    const { form, session, services } = request;
    const text = form.text('pem').trim() === '' ? form.text('file') : form.text('pem');
    const read = readKey(text);
    if (!read.ok) return accessPage(request, { publicKey: read });
    const known = await listPublicKeys(services.database, session.company.id);
    const same = known.find((key) => fingerprintOf(key) === read.fingerprint);
    if (same)
      return accessPage(request, {
        publicKey: {
          problem: same.revokedAt
            ? 'This key was revoked: make a new pair.'
            : 'This key is registered already.',
        },
      });
    const added = await changeAccess(request, 'register public-key', async (transaction) => {
      const valid = (await listPublicKeys(transaction, session.company.id)).filter(
        (key) => key.revokedAt === null,
      );
      const isThere = valid.some((key) => fingerprintOf(key) === read.fingerprint);
      if (isThere || valid.length >= MAXIMUM_PUBLIC_KEYS) return undefined;
      const publicKeyId = await addPublicKey(transaction, session.company.id, read.pem);
      return { result: publicKeyId, details: { publicKeyId, fingerprint: read.fingerprint } };
    });
    if (added === undefined)
      return accessPage(request, {
        publicKey: { problem: 'Two keys are valid already: revoke one first.' },
      });
    return {
      kind: 'redirect',
      to: ACCESS_PATH,
      notice: `The public key ${read.fingerprint.slice(0, 8)}… is registered.`,
    };
  },
};

type ReadKey =
  | { readonly ok: true; readonly pem: string; readonly fingerprint: string }
  | { readonly ok: false; readonly problem: string; readonly isPrivateKey: boolean };

function readKey(text: string): ReadKey {
  if (text.trim() === '')
    return { ok: false, problem: 'Paste a public key or choose its file.', isPrivateKey: false };
  try {
    const key = parsePublicKey(text);
    return {
      ok: true,
      pem: key.export({ type: 'spki', format: 'pem' }).toString(),
      fingerprint: publicKeyFingerprint(key),
    };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const isPrivateKey = error.message === PRIVATE_KEY_REFUSAL;
    return { ok: false, problem: error.message, isPrivateKey };
  }
}
