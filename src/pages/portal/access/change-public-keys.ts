import { type KeyObject, verify } from 'node:crypto';
import {
  findValidPublicKey,
  listPublicKeys,
  revokePublicKey as revokeInDatabase,
} from '../../../db/access/company-access.ts';
import { addPublicKey } from '../../../db/catalogue/companies.ts';
import type { Database } from '../../../db/connection.ts';
import {
  fingerprintOf,
  parsePublicKey,
  publicKeyFingerprint,
} from '../../../http/signature/public-key.ts';
import { readSignatures } from '../../../http/signature/verify-signature.ts';
import { html } from '../../../rendering/html.ts';
import { field, questionPage, type ReadForm } from '../../layout/parts.ts';
import {
  ACCESS_PATH,
  type AccountRequest,
  idOf,
  type PageAnswer,
  portal,
  redirect,
} from '../../page.ts';
import { changePages, ownCompany } from '../../session/changes.ts';
import { commandsToCopy } from '../try-it.ts';
import { accessPage, MAXIMUM_PUBLIC_KEYS, PUBLIC_KEYS_PATH } from './access.ts';

/**
 * The challenge that a merchant signs with the private key, so that a stranger cannot register the
 * key of another merchant. The text contains the merchant, the key, and an unpredictable part: a
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

/** Whether the pasted text is a signature of the challenge by the key, with or without a line feed. */
function isProof(request: AccountRequest, key: KeyObject): boolean {
  const challenge = challengeOf(request, key);
  return readSignatures(request.form.text('signature').replace(/\s/g, '')).some((signature) =>
    [challenge, `${challenge}\n`].some((text) =>
      verify('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }, signature),
    ),
  );
}

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

/** Reads a pasted public key, or describes what is wrong with it. */
function readPublicKey(text: string): ReadForm<KeyObject> {
  if (text.trim() === '') return { wrong: { pem: 'Paste a public key or choose its file.' } };
  try {
    return { value: parsePublicKey(text) };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { wrong: { pem: error.message } };
  }
}

const PROOF_PATH = `${PUBLIC_KEYS_PATH}/proof`;

/** Registers a public key after its private key has signed the challenge. */
export const provePublicKeyForm = changePages(portal, {
  path: '/public-keys/proof',
  needs: 'develop',
  kind: 'merchant',
  find: ownCompany,
  read(request) {
    const read = readPublicKey(request.form.text('pem'));
    return read.wrong || isProof(request, read.value) ? read : { wrong: { signature: NO_PROOF } };
  },
  confirmed(_company, { form }) {
    const read = readPublicKey(form.text('pem'));
    return read.wrong
      ? undefined
      : html`You are about to register the public key <code>${publicKeyFingerprint(read.value)}</code>.`;
  },
  action: 'register public-key',
  again: (request, wrong) =>
    wrong.signature
      ? proofPage(request, parsePublicKey(request.form.text('pem')), wrong.signature)
      : accessPage(request, wrong),
  async work(transaction, _request, { subject: { id }, value: key }) {
    const problem = await registrationProblem(transaction, id, key);
    const pem = key.export({ type: 'spki', format: 'pem' }).toString();
    const publicKeyId =
      problem === undefined
        ? await addPublicKey(transaction, id, pem, { isProven: true })
        : undefined;
    return publicKeyId === undefined
      ? { wrong: { pem: problem ?? 'This key is already registered.' } }
      : { details: { publicKeyId, fingerprint: publicKeyFingerprint(key), proven: true } };
  },
  done: ({ value: key }) =>
    redirect(
      ACCESS_PATH,
      `The public key ${publicKeyFingerprint(key).slice(0, 8)}… is registered.`,
    ),
});

const NO_PROOF =
  'This is not a signature of the text below by the matching private key. Copy the whole ' +
  'command, run it in the folder of private-key.pem, and paste the line that it prints.';

/** Shows the challenge and asks for its signature. */
function proofPage(request: AccountRequest, key: KeyObject, problem?: string): PageAnswer {
  return questionPage(
    { ...request, path: PROOF_PATH },
    {
      title: 'Prove that the key is yours',
      status: problem === undefined ? undefined : 422,
      text: html`<p>Only the owner of the private key can sign this text. Run the command in the folder of
<code>private-key.pem</code>:</p>
${commandsToCopy(proofCommand(challengeOf(request, key)))}`,
      fields: html`<input type="hidden" name="pem" value="${key
        .export({ type: 'spki', format: 'der' })
        .toString('base64')}">
${field({
  name: 'signature',
  label: 'Signature',
  hint: 'The line that the command prints.',
  error: problem,
})}
`,
      button: 'Register the key',
      back: `${ACCESS_PATH}#public-keys`,
    },
  );
}

/**
 * Reads a pasted or uploaded public key and asks for a proof of the private key. Messages about the
 * key are those of the API. Nothing is registered yet.
 */
export const registerPublicKeyForm = portal.form({
  path: '/public-keys',
  needs: 'develop',
  confirmation: 'none',
  kind: 'merchant',
  form: 'with-file',
  async handle(request) {
    const { form, session, services } = request;
    const text = form.text('pem').trim() === '' ? form.text('file') : form.text('pem');
    const read = readPublicKey(text);
    if (read.wrong) return accessPage(request, read.wrong);
    const problem = await registrationProblem(services.database, session.company.id, read.value);
    return problem === undefined
      ? proofPage(request, read.value)
      : accessPage(request, { pem: problem });
  },
});

/** Revokes a public key at once. */
export const revokePublicKeyPages = changePages(portal, {
  path: '/public-keys/:id/revoke',
  needs: 'develop',
  kind: 'merchant',
  async find(request, database) {
    const keys = await listPublicKeys(database, request.session.company.id);
    const valid = keys.filter(({ revokedAt }) => revokedAt === null);
    const key = valid.find(({ id }) => id === idOf(request));
    return key && { fingerprint: fingerprintOf(key), isLast: valid.length === 1 };
  },
  question: ({ fingerprint, isLast }) => ({
    title: 'Revoke this public key?',
    text: html`<p><code>${fingerprint}</code></p>
<p>Calls signed with its private key are refused within two seconds.${
      isLast && ' It is the last key: every signed call will be refused.'
    } This cannot be undone.</p>`,
    button: 'Revoke the key',
    isDanger: true,
    back: `${ACCESS_PATH}#public-keys`,
  }),
  confirmed: ({ fingerprint }) =>
    html`You are about to revoke the public key <code>${fingerprint}</code>.`,
  action: 'revoke public-key',
  async work(transaction, request) {
    const publicKeyId = idOf(request);
    const key = await revokeInDatabase(transaction, publicKeyId, request.session.company);
    if (key === undefined) return undefined;
    const fingerprint = fingerprintOf(key);
    return { details: { publicKeyId, fingerprint } };
  },
  done: ({ subject: { fingerprint } }) =>
    redirect(ACCESS_PATH, `The public key ${fingerprint.slice(0, 8)}… is revoked.`),
});
