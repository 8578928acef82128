import { listPublicKeys } from '../../../db/access/company-access.ts';
import { parsePublicKey, publicKeyFingerprint } from '../../../http/signature/public-key.ts';
import { type Html, html } from '../../../rendering/html.ts';
import { emptyState, fileForm, message, table, time } from '../../layout/parts.ts';
import { type AccountRequest, PORTAL_PATH } from '../../page.ts';

export const PUBLIC_KEYS_PATH = `${PORTAL_PATH}/public-keys`;

/** Valid keys at a time: the current one and its successor. */
export const MAXIMUM_PUBLIC_KEYS = 2;

type ListedKey = Awaited<ReturnType<typeof listPublicKeys>>[number];

/** SHA-256 of a stored key's DER, in groups for comparison by eye. */
export const fingerprintOf = ({ publicKeyPem }: Pick<ListedKey, 'publicKeyPem'>): string =>
  publicKeyFingerprint(parsePublicKey(publicKeyPem));

const grouped = (fingerprint: string): string => (fingerprint.match(/.{8}/g) ?? []).join(' ');

/** The problem of a new key. */
export interface WrongPublicKey {
  readonly problem: string;
  readonly isPrivateKey?: boolean;
}

/** The public keys that verify a merchant's signatures (specification 5). */
export async function publicKeysPart(
  request: AccountRequest,
  wrong?: WrongPublicKey,
): Promise<Html> {
  const { services, session, formToken } = request;
  const keys = await listPublicKeys(services.database, session.company.id);
  const valid = keys.filter(({ revokedAt }) => revokedAt === null);
  const over = keys.filter(({ revokedAt }) => revokedAt !== null).toReversed();
  return html`<section class="page-part" aria-labelledby="public-keys"><h2 id="public-keys">Public keys</h2>
<p>You sign claims and redemptions with your private key, which stays with you. We verify them with the
public key that you register here. A new one takes effect within
${services.settings.accessCacheSeconds} s.</p>
${wrong?.isPrivateKey && privateKeyWarning}
${
  valid.length === 0 &&
  message('warning', html`<strong>No public key is registered: signed calls are refused.</strong>`)
}
<section class="card"><h3>Registered public keys</h3>
${
  valid.length === 0
    ? emptyState('None yet', 'Make a key pair and register the public key below.')
    : keyTable('Public keys in use', valid, true)
}
</section>
<section class="card"><h3>Register a public key</h3>
${
  valid.length >= MAXIMUM_PUBLIC_KEYS
    ? html`<p>At most two keys are valid at a time: the current one and its successor. Revoke one first.</p>
${howToMakeKeys}`
    : fileForm(
        { action: PUBLIC_KEYS_PATH, formToken },
        html`${howToMakeKeys}${pemFields(wrong?.problem)}<button>Go on</button>`,
      )
}
</section>
${
  over.length > 0 &&
  html`<details class="card"><summary>Revoked keys (${over.length})</summary>
${keyTable('Revoked public keys', over, false)}</details>`
}</section>`;
}

const privateKeyWarning = message(
  'danger',
  html`<strong>That was a private key. Treat it as stolen.</strong> It was not stored, but it is no longer
secret: make a new pair, register its public key, and revoke the old public key here.`,
);

/** The shell commands that make a key pair. */
export const KEY_PAIR_COMMANDS = `openssl ecparam -name secp256k1 -genkey -noout -out private-key.pem
openssl ec -in private-key.pem -pubout -out public-key.pem`;

const howToMakeKeys = html`<details><summary>How to make a key pair</summary>
<pre><code>${KEY_PAIR_COMMANDS}</code></pre>
<p>Keep <code>private-key.pem</code> secret. Register <code>public-key.pem</code>.</p></details>`;

const pemFields = (problem: string | undefined): Html => html`<div class="field">
<label for="pem">Paste the public key</label>
<p class="hint" id="pem-hint">PEM: it begins with <code>-----BEGIN PUBLIC KEY-----</code>. The curve is
secp256k1.</p>
${problem && html`<p class="error" id="pem-error" role="alert">${problem}</p>`}
<textarea id="pem" name="pem" rows="6" maxlength="8192" spellcheck="false" autocomplete="off"
 aria-describedby="pem-hint${problem && ' pem-error'}"${
   problem && html` aria-invalid="true" autofocus`
 }></textarea></div>
<div class="field"><label for="file">Or choose its file</label>
<input id="file" name="file" type="file" accept=".pem,.pub,.der,.txt"></div>`;

const keyTable = (caption: string, keys: readonly ListedKey[], isValid: boolean): Html =>
  table(caption, keys, [
    {
      title: 'Fingerprint (SHA-256)',
      value: (key) => html`<code>${grouped(fingerprintOf(key))}</code>`,
    },
    { title: 'Registered', value: ({ createdAt }) => time(createdAt) },
    isValid
      ? {
          title: 'Change',
          value: (key) =>
            html`<a href="${PUBLIC_KEYS_PATH}/${key.id}/revoke">Revoke<span class="visually-hidden">
${fingerprintOf(key).slice(0, 8)}</span></a>`,
        }
      : { title: 'Revoked', value: ({ revokedAt }) => revokedAt && time(revokedAt) },
  ]);
