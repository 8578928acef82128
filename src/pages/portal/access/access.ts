import {
  type ListedKey,
  type ListedPublicKey,
  listApiKeys,
  listPublicKeys,
  listSourceAddresses,
} from '../../../db/access/company-access.ts';
import {
  needsRotation,
  ROTATION_WARNING_DAYS,
  type Scope,
  scopeMeanings,
  scopesOf,
} from '../../../domain/access.ts';
import type { Company } from '../../../domain/vouchers/voucher.ts';
import { createAddressMatcher } from '../../../http/access/source-address.ts';
import { fingerprintOf, PRIVATE_KEY_REFUSAL } from '../../../http/signature/public-key.ts';
import { type Html, html } from '../../../rendering/html.ts';
import { apiKeyPower, apiKeyState } from '../../layout/company-parts.ts';
import {
  asSent,
  emptyState,
  field,
  fileForm,
  formTokenField,
  message,
  postForm,
  table,
  textColumn,
  time,
  type WrongFields,
} from '../../layout/parts.ts';
import {
  type AccountRequest,
  type Form,
  type PageAnswer,
  PORTAL_PATH,
  portal,
} from '../../page.ts';
import { apiBase } from '../try-it.ts';

export const ADDRESSES_PATH = `${PORTAL_PATH}/addresses`;
/** Maximum length of a host name. */
export const ADDRESS_LENGTH = 253;

/** The addresses that the company's servers may call from. */
async function addressesPart(request: AccountRequest, wrong?: WrongFields): Promise<Html> {
  const { services, session } = request;
  const rows = await listSourceAddresses(services.database, session.company);
  return html`<section class="page-part" aria-labelledby="addresses"><h2 id="addresses">Addresses</h2>
<p>The API accepts calls from these addresses only. They are the public addresses of your
servers. A new one takes effect within
${services.settings.access.accessCacheSeconds} s.</p>
${
  rows.length === 0 &&
  message(
    'warning',
    html`<strong>No address is registered: every call is refused, including log-in.</strong> Add the address of
your server.`,
  )
}
<section class="card"><h3>Registered addresses</h3>
${table(
  'Registered addresses',
  rows,
  [
    textColumn('Address', ({ address }) => html`<code>${address}</code>`),
    textColumn('Added', 'createdAt'),
    textColumn(
      'Change',
      ({ id, address }) =>
        html`<a href="${ADDRESSES_PATH}/${id}/remove">Remove<span class="visually-hidden">
${address}</span></a>`,
    ),
  ],
  emptyState('None yet', 'Add the first one below.'),
)}
</section>
<section class="card"><h3>Add an address</h3>
${postForm(
  request,
  ADDRESSES_PATH,
  html`${field({
    ...asSent(request, wrong)('address'),
    label: 'Address',
    hint: 'IPv4, IPv6, a range such as 203.0.113.0/28, or a name such as api.shop.example.',
    maximumLength: ADDRESS_LENGTH,
  })}
<button>Add the address</button>`,
)}
</section>
${yourAddress(
  request,
  rows.map(({ address }) => address),
)}</section>`;
}

/** The browser's address, which equals the server's only within one network. */
function yourAddress(request: AccountRequest, registered: readonly string[]) {
  const { sourceAddress, formToken } = request;
  if (sourceAddress === '') return undefined;
  const isRegistered = createAddressMatcher(registered)(sourceAddress);
  return html`<section class="card"><h3>The address of your browser</h3>
<p>Your browser’s address is <code>${sourceAddress}</code>. ${
    isRegistered
      ? 'It is registered.'
      : 'Add it if your server calls from the same network as your browser.'
  }</p>
${
  !isRegistered &&
  html`<form method="post" action="${ADDRESSES_PATH}">${formTokenField(formToken)}
<input type="hidden" name="address" value="${sourceAddress}">
<button class="secondary">Add ${sourceAddress}</button></form>`
}
</section>`;
}

const fieldOf = (scope: Scope): string => `scope-${scope}`;

/** The boxes for the scopes of a key. */
export const scopeChoices = (
  { kind }: Pick<Company, 'kind'>,
  chosen: readonly Scope[],
  problem?: string,
): Html => html`<fieldset${problem && html` aria-describedby="scopes-error"`}>
<legend>What may the key do?</legend>
${problem && html`<p class="error" id="scopes-error">${problem}</p>`}
${scopesOf(kind).map(
  (scope) =>
    html`<label class="choice"><input type="checkbox" name="${fieldOf(scope)}" value="on"${
      chosen.includes(scope) && html` checked`
    }> <span><code>${scope}</code>: ${scopeMeanings[scope]}</span></label>`,
)}</fieldset>`;

/** The chosen scopes. */
export const readScopes = (form: Form, { kind }: Pick<Company, 'kind'>): Scope[] =>
  scopesOf(kind).filter((scope) => form.text(fieldOf(scope)) === 'on');

export const NO_SCOPE = 'Choose at least one.';

const KEYS_PATH = `${PORTAL_PATH}/keys`;
export const KEY_NAME_LENGTH = 60;

/** The company's API keys: status, age and last use. */
async function apiKeysPart(request: AccountRequest, wrong?: WrongFields): Promise<Html> {
  const { services, session, form } = request;
  const keys = (await listApiKeys(services.database, session.company)).toReversed();
  const working = keys.filter(({ status }) => status === 'VALID' || status === 'ENDING');
  const over = keys.filter((key) => !working.includes(key));
  const old = working.filter(needsRotation);
  const canCopy = services.keyCopies !== undefined;
  const isSent = wrong?.name || wrong?.scopes;
  const chosen = isSent ? readScopes(form, session.company) : scopesOf(session.company.kind);
  return html`<section class="page-part" aria-labelledby="keys"><h2 id="keys">API keys</h2>
<p>Your server logs in with a key at <code>${apiBase(request)}/auth/login</code> and gets a token for
300 seconds. Keep keys on your servers: never in source code, apps, pages or logs.</p>
${old.length > 0 && rotationWarning(old)}
<section class="card"><h3>Valid keys</h3>
${workingKeys(working, { canCopy, canSpend: session.company.kind === 'partner' })}
${working.length > 0 && copyNote(working, canCopy)}
</section>
<section class="card"><h3>Make a key</h3>
${postForm(
  request,
  KEYS_PATH,
  html`${field({
    ...asSent(request, wrong)('name'),
    label: 'Name of the key',
    hint: 'What will use it, such as “Web shop” or “Till 3”.',
    maximumLength: KEY_NAME_LENGTH,
  })}
${scopeChoices(session.company, chosen, wrong?.scopes)}
<button>Make the key</button>`,
)}
</section>
${
  over.length > 0 &&
  html`<details class="card"><summary>Ended keys (${over.length})</summary>
${endedKeys(over)}</details>`
}</section>`;
}

const rotationWarning = (old: readonly ListedKey[]): Html =>
  message(
    'warning',
    html`<p><strong>${
      old.length === 1 ? 'A key is' : `${old.length} keys are`
    } ${ROTATION_WARNING_DAYS} days old or older.</strong> Rotate: the new key and the old one both
work for a time that you choose.</p>`,
  );

/** Explains which keys cannot be copied. */
function copyNote(keys: readonly ListedKey[], canCopy: boolean): Html | undefined {
  if (!canCopy)
    return html`<p class="quiet">Each key is shown once, when it is made: we store only digests.</p>`;
  const notKept = keys.filter(({ status, isKept }) => status === 'VALID' && !isKept);
  if (notKept.length === 0) return undefined;
  const names = notKept.map(({ name }, index) => html`${index > 0 && ', '}“${name}”`);
  return html`<p class="quiet">${names} cannot be copied: ${
    notKept.length === 1 ? 'it was' : 'they were'
  } made before keys were stored, or by an operator, and we have only ${
    notKept.length === 1 ? 'its digest' : 'their digests'
  }. A rotated key can be copied.</p>`;
}

const workingKeys = (
  keys: readonly ListedKey[],
  { canCopy, canSpend }: { readonly canCopy: boolean; readonly canSpend: boolean },
): Html =>
  table(
    'Valid API keys',
    keys,
    [
      textColumn('Name', (key) => html`<strong>${key.name}</strong>`),
      textColumn('Begins with', (key) => html`<code>${key.prefix}…</code>`),
      textColumn('May', apiKeyPower),
      textColumn('State', apiKeyState),
      textColumn('Age', (key) => ageOf(key.ageDays)),
      textColumn('Last used', lastUse),
      textColumn(
        'Change',
        (key) => html`<span class="actions">${
          canCopy &&
          key.isKept &&
          html`<a href="${KEYS_PATH}/${key.id}/copy">Copy<span class="visually-hidden"> ${key.name}</span></a>
`
        }${
          key.status === 'VALID' &&
          html`<a href="${KEYS_PATH}/${key.id}/rotate">Rotate<span class="visually-hidden">
${key.name}</span></a>`
        }
<a href="${KEYS_PATH}/${key.id}/scopes">Scopes<span class="visually-hidden"> of ${key.name}</span></a>
${
  canSpend &&
  html`<a href="${KEYS_PATH}/${key.id}/limits">Limits<span class="visually-hidden"> of ${key.name}</span></a>
`
}<a href="${KEYS_PATH}/${key.id}/revoke">Revoke<span class="visually-hidden"> ${key.name}</span></a>
</span>`,
      ),
    ],
    emptyState('No valid key', 'Without a key your server cannot log in. Make one below.'),
  );

const endedKeys = (keys: readonly ListedKey[]): Html =>
  table('Ended API keys', keys, [
    textColumn('Name', (key) => key.name),
    textColumn('Begins with', (key) => html`<code>${key.prefix}…</code>`),
    textColumn('Ended', apiKeyState),
    textColumn('Last used', lastUse),
  ]);

const ageOf = (days: number): string =>
  days === 0 ? 'Today' : days === 1 ? '1 day' : `${days} days`;

const lastUse = ({ lastUsedAt, lastUsedAddress }: ListedKey): Html =>
  lastUsedAt
    ? html`${time(lastUsedAt)}${lastUsedAddress && html` from <code>${lastUsedAddress}</code>`}`
    : html`Never`;

export const PUBLIC_KEYS_PATH = `${PORTAL_PATH}/public-keys`;

/** Valid keys at a time: the current one and its successor. */
export const MAXIMUM_PUBLIC_KEYS = 2;

/** In groups, for comparison by eye. */
const grouped = (fingerprint: string): string => (fingerprint.match(/.{8}/g) ?? []).join(' ');

/** The public keys that verify a merchant's signatures (specification 5). */
async function publicKeysPart(request: AccountRequest, wrong?: WrongFields): Promise<Html> {
  const { services, session } = request;
  const keys = await listPublicKeys(services.database, session.company.id);
  const valid = keys.filter(({ revokedAt }) => revokedAt === null);
  const over = keys.filter(({ revokedAt }) => revokedAt !== null).toReversed();
  return html`<section class="page-part" aria-labelledby="public-keys"><h2 id="public-keys">Public keys</h2>
<p>You sign claims and redemptions with your private key, which stays with you. We verify them with the
public key that you register here. A new one takes effect within
${services.settings.access.accessCacheSeconds} s.</p>
${wrong?.pem === PRIVATE_KEY_REFUSAL && privateKeyWarning}
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
        request,
        PUBLIC_KEYS_PATH,
        html`${howToMakeKeys}${pemFields(wrong?.pem)}<button>Go on</button>`,
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

const keyTable = (caption: string, keys: readonly ListedPublicKey[], isValid: boolean): Html =>
  table(caption, keys, [
    textColumn('Fingerprint (SHA-256)', (key) => html`<code>${grouped(fingerprintOf(key))}</code>`),
    textColumn('Registered', 'createdAt'),
    isValid
      ? textColumn(
          'Change',
          (key) =>
            html`<a href="${PUBLIC_KEYS_PATH}/${key.id}/revoke">Revoke<span class="visually-hidden">
${fingerprintOf(key).slice(0, 8)}</span></a>`,
        )
      : textColumn('Revoked', 'revokedAt'),
  ]);

/** API keys, addresses and public keys on one page (specification 5). */
export const showAccess = portal.page({
  path: '/access',
  needs: 'develop',
  handle: accessPage,
});

/** The page with the problem of a sent form. */
export async function accessPage(
  request: AccountRequest,
  wrong?: WrongFields,
): Promise<PageAnswer> {
  const isMerchant = request.session.company.kind === 'merchant';
  return {
    kind: 'page',
    title: 'Keys and addresses',
    status: wrong && 422,
    content: html`<h1>Keys and addresses</h1>
<p>Your servers need a key and a registered address${isMerchant && ', and sign with a key pair'}.</p>
<nav aria-label="On this page"><ul class="page-parts">
<li><a href="#keys">API keys</a></li>
<li><a href="#addresses">Addresses</a></li>
${isMerchant && html`<li><a href="#public-keys">Public keys</a></li>`}
</ul></nav>
${await apiKeysPart(request, wrong)}
${await addressesPart(request, wrong)}
${isMerchant && (await publicKeysPart(request, wrong))}`,
  };
}
