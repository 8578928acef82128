import { type KeyObject, verify } from 'node:crypto';
import {
  findValidPublicKey,
  listPublicKeys,
  revokePublicKey as revokeInDatabase,
} from '../../../db/access/company-access.ts';
import { addPublicKey } from '../../../db/catalogue/companies.ts';
import type { Database } from '../../../db/connection.ts';
import {
  PRIVATE_KEY_REFUSAL,
  parsePublicKey,
  publicKeyFingerprint,
} from '../../../http/signature/public-key.ts';
import { readSignatures } from '../../../http/signature/verify-signature.ts';
import { html } from '../../../rendering/html.ts';
import { confirmation, field, postForm } from '../../layout/parts.ts';
import { type AccountPage, type AccountRequest, idOf, type PageAnswer } from '../../page.ts';
import { changeAccess } from '../../session/confirmation.ts';
import { ACCESS_PATH } from '../../session/session.ts';
import { problems } from '../problem-page.ts';
import { commands } from '../try-it.ts';
import { accessPage, fingerprintOf, MAXIMUM_PUBLIC_KEYS, PUBLIC_KEYS_PATH } from './access.ts';

/**
 * The challenge that a merchant signs with the private key, so that nobody can register the key of
 * another merchant. The text contains the merchant, the key, and a part that nobody can predict: a
 * signature is useless for another merchant, key or session. It is not JSON, so it cannot be the
 * body of a request.
 */
const challengeOf = ({ services, session, formToken }: AccountRequest, key: KeyObject): string => {
  const fingerprint = publicKeyFingerprint(key);
  const { id } = session.company;
  const proof = services.digests.publicKeyChallenge(formToken, id, fingerprint);
  return `register public key ${fingerprint} for merchant ${id}: ${proof}`;
};

/** The shell command that signs the challenge. */
const proofCommand = (challenge: string): string =>
  `printf '%s' '${challenge}' |
  openssl dgst -sha256 -sign private-key.pem | openssl base64 -A; echo`;

/**
 * Whether a pasted text is a signature of the challenge by the key, with or without a line feed.
 */
const isProof = (challenge: string, key: KeyObject, pasted: string): boolean =>
  readSignatures(pasted.replace(/\s/g, '')).some((signature) =>
    [challenge, `${challenge}\n`].some((text) =>
      verify('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }, signature),
    ),
  );

/** Describes why a merchant cannot register a key; undefined where it can. */
async function registrationProblem(
  database: Database,
  merchantId: number,
  key: KeyObject,
): Promise<string | undefined> {
  const fingerprint = publicKeyFingerprint(key);
  const known = await listPublicKeys(database, merchantId);
  const same = known.find((row) => fingerprintOf(row) === fingerprint);
  if (same?.revokedAt) return 'This key was revoked: make a new pair.';
  if (same) return 'This key is already registered.';
  if (await findValidPublicKey(database, fingerprint))
    return 'This key is registered for another merchant: make your own key pair.';
  const valid = known.filter(({ revokedAt }) => revokedAt === null);
  return valid.length >= MAXIMUM_PUBLIC_KEYS
    ? 'Two keys are already valid: revoke one first.'
    : undefined;
}

type ReadKey =
  | { readonly ok: true; readonly key: KeyObject }
  | { readonly ok: false; readonly problem: string; readonly isPrivateKey: boolean };

/** Reads a pasted public key, or describes what is wrong with it. */
function readPublicKey(text: string): ReadKey {
  if (text.trim() === '')
    return { ok: false, problem: 'Paste a public key or choose its file.', isPrivateKey: false };
  try {
    return { ok: true, key: parsePublicKey(text) };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const isPrivateKey = error.message === PRIVATE_KEY_REFUSAL;
    return { ok: false, problem: error.message, isPrivateKey };
  }
}

const PROOF_PATH = `${PUBLIC_KEYS_PATH}/proof`;

/** Registers a public key after its private key has signed the challenge. */
export const provePublicKey: AccountPage = {
  method: 'POST',
  path: '/public-keys/proof',
  access: 'account',
  needs: 'develop',
  confirmation: ({ form }) => {
    const read = readPublicKey(form.text('pem'));
    return read.ok
      ? html`You are about to register the public key <code>${publicKeyFingerprint(read.key)}</code>.`
      : undefined;
  },
  kind: 'merchant',
  async handle(request) {
    const { form, session } = request;
    const read = readPublicKey(form.text('pem'));
    if (!read.ok) return accessPage(request, { publicKey: read });
    const { key } = read;
    if (!isProof(challengeOf(request, key), key, form.text('signature')))
      return proofPage(request, key, NO_PROOF);
    const fingerprint = publicKeyFingerprint(key);
    const pem = key.export({ type: 'spki', format: 'pem' }).toString();
    const { id } = session.company;
    let problem: string | undefined;
    const added = await changeAccess(request, 'register public-key', async (transaction) => {
      problem = await registrationProblem(transaction, id, key);
      if (problem !== undefined) return undefined;
      const publicKeyId = await addPublicKey(transaction, id, pem, { isProven: true });
      if (publicKeyId === undefined) return undefined;
      return { result: publicKeyId, details: { publicKeyId, fingerprint, proven: true } };
    });
    if (added === undefined)
      return accessPage(request, {
        publicKey: { problem: problem ?? 'This key is already registered.' },
      });
    return {
      kind: 'redirect',
      to: ACCESS_PATH,
      notice: `The public key ${fingerprint.slice(0, 8)}… is registered.`,
    };
  },
};

const NO_PROOF =
  'This is not a signature of the text below by the matching private key. Copy the whole ' +
  'command, run it in the folder of private-key.pem, and paste the line that it prints.';

/** Shows the challenge and asks for its signature. */
function proofPage(request: AccountRequest, key: KeyObject, problem?: string): PageAnswer {
  return {
    kind: 'page',
    title: 'Prove that the key is yours',
    ...(problem === undefined ? {} : { status: 422 }),
    content: html`<h1>Prove that the key is yours</h1>
<section class="card">
<p>Only the owner of the private key can sign this text. Run the command in the folder of
<code>private-key.pem</code>:</p>
${commands(proofCommand(challengeOf(request, key)))}
${postForm(
  { action: PROOF_PATH, formToken: request.formToken },
  html`<input type="hidden" name="pem" value="${key
    .export({ type: 'spki', format: 'der' })
    .toString('base64')}">
${field({
  name: 'signature',
  label: 'Signature',
  hint: 'The line that the command prints.',
  error: problem,
})}
<p class="actions"><button>Register the key</button> <a href="${ACCESS_PATH}#public-keys">Back</a></p>`,
)}
</section>`,
  };
}

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
