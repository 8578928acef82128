import type { KeyObject } from 'node:crypto';
import { addPublicKey } from '../../../db/catalogue/companies.ts';
import { publicKeyFingerprint } from '../../../http/signature/public-key.ts';
import { html } from '../../../rendering/html.ts';
import { changeAccess } from '../../access/change-access.ts';
import { challengeOf, isProof, proofCommand } from '../../access/public-key-proof.ts';
import { readPublicKey, registrationProblem } from '../../access/public-key-registration.ts';
import { ACCESS_PATH } from '../../access-path.ts';
import { commands } from '../../console/call-examples.ts';
import { field, postForm } from '../../layout/parts.ts';
import type { AccountPage, AccountRequest, PageAnswer } from '../../page.ts';
import { accessPage } from './access.ts';
import { PUBLIC_KEYS_PATH } from './public-keys.ts';

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
export function proofPage(request: AccountRequest, key: KeyObject, problem?: string): PageAnswer {
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
