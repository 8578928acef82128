import type { DatabaseTransaction } from '../../db/connection.ts';
import {
  type AccountOneTimePassword,
  addOneTimePassword,
  addPasskey,
  hasFactor,
  readSecondFactors,
  removeOneTimePassword,
  removePasskey,
  type SecondFactors,
} from '../../db/people/second-factors.ts';
import { endPortalSessions } from '../../db/people/sign-ins.ts';
import type { AccessChangeName } from '../../domain/access.ts';
import { type Html, html, phrase } from '../../rendering/html.ts';
import {
  asSent,
  copyField,
  field,
  message,
  postForm,
  type Reading,
  table,
  textColumn,
  time,
  type WrongFields,
} from '../layout/parts.ts';
import {
  bothSites,
  idOf,
  type PageAnswer,
  type PersonRequest,
  readNameField,
  redirect,
  type Site,
} from '../page.ts';
import { changePages } from '../session/changes.ts';
import { addPasskeyButton, NEW_PASSKEY_FIELD, takeNewPasskey } from '../session/passkeys.ts';
import {
  makeRecoveryCodes,
  newSecret,
  plainCode,
  qrCode,
  secretContext,
  secretUri,
  stepOf,
} from '../session/second-factor.ts';
import { accountPath, secondFactorPath } from '../session/session.ts';

/** The person's second factors: passkeys, one-time passwords and recovery codes. */
const showSecondFactor = bothSites.page({
  path: '/account/second-factor',
  needs: 'own',
  always: true,
  handle: secondFactorPage,
});

/** The page with the problem of a sent form. */
async function secondFactorPage(request: PersonRequest, wrong?: WrongFields): Promise<PageAnswer> {
  const { services, session, site } = request;
  // Only a person who alone knows the password.
  if (session.mustChangePassword) return redirect(accountPath(site));
  const factors = await readSecondFactors(services.database, session.accountId);
  const { oneTimePassword } = factors;
  return {
    kind: 'page',
    title: 'Second factor',
    status: wrong && 422,
    content: html`<h1>Second factor</h1>
<p>With the password, signing in takes a passkey, or a code that an app shows for 30 seconds. So a stolen
password alone opens nothing.</p>
${
  session.needsSecondFactor &&
  !session.hasSecondFactor &&
  message(
    'warning',
    site.isForStaff
      ? 'Everybody here has a second factor. Set yours up first, then everything else opens.'
      : 'Your company requires a second factor. Set yours up first, then everything else opens.',
  )
}
${await passkeysCard(request, factors, wrong)}
${oneTimePassword ? oneTimePasswordCard(request, oneTimePassword) : setUpCard(request, wrong)}
${session.hasSecondFactor && recoveryCodesCard(request, factors)}`,
  };
}

/** The name of the service in an app, and on a device. */
const issuerOf = ({ site, services }: PersonRequest): string =>
  services.settings.process.environment === 'test' ? `${site.name} (test)` : site.name;

const NAME_LENGTH = 50;

async function passkeysCard(
  request: PersonRequest,
  { passkeys }: SecondFactors,
  wrong: WrongFields | undefined,
): Promise<Html> {
  const { session, site } = request;
  const path = `${secondFactorPath(site)}/passkeys`;
  const { accountId, email } = session;
  const account = { accountId, email, siteName: issuerOf(request) };
  return html`<section class="card"><h2>Passkeys</h2>
<p>Your phone, your computer or a security key keeps a passkey. You confirm there that it is you, and type no code.</p>
${
  passkeys.length > 0 &&
  table('Your passkeys', passkeys, [
    textColumn('Name', ({ name }) => html`<strong>${name}</strong>`),
    textColumn('Made', 'createdAt'),
    textColumn('Last used', ({ lastUsedAt }) => (lastUsedAt ? time(lastUsedAt) : phrase('Never'))),
    textColumn(
      'Change',
      ({ id, name }) =>
        html`<a href="${path}/${id}/remove">Remove<span class="visually-hidden"> ${name}</span></a>`,
    ),
  ])
}
${postForm(
  request,
  path,
  html`${field({
    ...asSent(request, wrong)('passkey-name'),
    label: 'Name of the passkey',
    hint: 'For yourself, such as the name of the phone.',
    maximumLength: NAME_LENGTH,
  })}
<p class="hint" data-without-passkeys>This browser makes no passkeys here. Use an authenticator app instead.</p>
${await addPasskeyButton(request, account, passkeys)}`,
)}</section>`;
}

/** The field of the first one-time password. */
const NEW_CODE = 'new-code';

/** The owner of a secret that is not stored yet. */
const setUpContext = (accountId: number): string => `${secretContext(accountId)}, set-up`;

function setUpCard(request: PersonRequest, wrong: WrongFields | undefined): Html {
  const { services, session, site } = request;
  const { secretBox } = services;
  const context = setUpContext(session.accountId);
  // The secret of a form with a wrong code stays the same.
  const sent = wrong?.[NEW_CODE] && request.form.text('sealed-secret');
  const secret = sent ? secretBox.open(sent, context) : newSecret();
  const sealed = sent || secretBox.seal(secret, context);
  const uri = secretUri(secret, session.email, issuerOf(request));
  return html`<section class="card"><h2>One-time passwords</h2>
<ol class="steps"><li><p>Install an authenticator app, such as Aegis, Google Authenticator or 2FAS, and scan
this code with it.</p>
${qrCode(uri, 'QR code with the secret of your one-time passwords')}
<p><a href="${uri}">Open it in an app on this device</a>, or type the secret into the app:</p>
${copyField({ name: 'secret', label: 'Secret', value: secret.replace(/(.{4})(?=.)/g, '$1 ') })}</li>
<li>${postForm(
    request,
    oneTimePasswordPath(site),
    html`<input type="hidden" name="sealed-secret" value="${sealed}">
${field({
  name: NEW_CODE,
  label: 'One-time password',
  hint: 'The six digits that the app shows now.',
  autocomplete: 'one-time-code',
  maximumLength: 20,
  error: wrong?.[NEW_CODE],
})}
<button>Switch on</button>`,
  )}</li></ol>
</section>`;
}

const oneTimePasswordPath = (site: Site): string => `${secondFactorPath(site)}/one-time-password`;

const oneTimePasswordCard = ({ site }: PersonRequest, { since }: AccountOneTimePassword): Html =>
  html`<section class="card"><h2>One-time passwords</h2>
<p>They are on since ${time(since)}. To move to another phone, switch them off, and set them up again.</p>
<p class="actions"><a class="button secondary" href="${oneTimePasswordPath(site)}/off">Switch off</a></p>
</section>`;

const recoveryCodesCard = ({ site }: PersonRequest, { recoveryCodesLeft }: SecondFactors): Html =>
  html`<section class="card"><h2>Recovery codes</h2>
<p>Each recovery code signs you in once when you have neither your phone nor a passkey. You have
${recoveryCodesLeft} of them left.</p>
${
  recoveryCodesLeft <= 2 &&
  message('warning', 'Make new recovery codes before you run out of them.')
}
<p class="actions"><a class="button secondary" href="${secondFactorPath(site)}/recovery-codes">Make new
recovery codes</a></p></section>`;

/** The page that shows recovery codes, once; browsers cache no page of the portal. */
const recoveryCodesPage = (site: Site, heading: string, codes: readonly string[]): PageAnswer => ({
  kind: 'page',
  title: heading,
  content: html`<h1>${phrase(heading)}</h1>
<section class="card"><h2>Your recovery codes</h2>
${message(
  'warning',
  html`<strong>Keep these codes now: they are shown only once.</strong> Print them, or put them into a password
manager, apart from your phone. Each one signs you in once when you do not have your phone.`,
)}
<ol class="recovery-codes">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ol>
<p class="actions"><a class="button secondary" href="${accountPath(site)}">I have kept them</a></p>
</section>`,
});

/**
 * Adds a factor, and ends the person's other sessions. The first factor brings recovery codes, which the answer
 * shows.
 */
const addFactorForm = <Value>(added: {
  readonly path: string;
  readonly action: AccessChangeName;
  /** What the person confirms, without the person. */
  confirmed(email: string): Html;
  read(request: PersonRequest): Reading<Value>;
  details?(value: Value): Readonly<Record<string, string>>;
  /** False where nothing changed. */
  add(transaction: DatabaseTransaction, accountId: number, value: Value): Promise<boolean>;
  /** The problems of the form where nothing changed. */
  readonly notAdded?: WrongFields;
  readonly done: string;
}) =>
  changePages(bothSites, {
    path: added.path,
    needs: 'own',
    always: true,
    find: async ({ session }) => session.accountId,
    nothing: ({ site }) => redirect(secondFactorPath(site)),
    // The page leads a person elsewhere who must choose a password first.
    read: (request) => (request.session.mustChangePassword ? { wrong: {} } : added.read(request)),
    confirmed: (_accountId, { session }) => added.confirmed(session.email),
    action: added.action,
    again: secondFactorPage,
    async work(transaction, request, { subject: accountId, value }) {
      const isFirst = !(await hasFactor(transaction, accountId));
      if (!(await added.add(transaction, accountId, value)))
        return added.notAdded && { wrong: added.notAdded };
      await endPortalSessions(transaction, accountId, request.session.id);
      const codes = isFirst ? await makeRecoveryCodes(transaction, request, accountId) : [];
      return { result: codes, details: { ...detailsOf(request), ...added.details?.(value) } };
    },
    done: ({ result: codes }, { site }) =>
      codes.length > 0
        ? recoveryCodesPage(site, added.done, codes)
        : redirect(secondFactorPath(site), `${added.done}.`),
  });

const detailsOf = ({ session }: PersonRequest) => ({
  accountId: session.accountId,
  email: session.email,
});

/** Switches one-time passwords on after the first of them. */
const switchOnOneTimePasswordForm = addFactorForm({
  path: '/account/second-factor/one-time-password',
  action: 'switch on one-time-password',
  confirmed: (email) => html`You are about to switch on one-time passwords for ${email}.`,
  read(request) {
    const { services, session, form } = request;
    const secret = openSecret(request, form.text('sealed-secret'));
    if (secret === undefined) return undefined;
    const step = stepOf(secret, plainCode(form.text(NEW_CODE)));
    if (step === undefined) return { wrong: { [NEW_CODE]: NOT_OF_SECRET } };
    const context = secretContext(session.accountId);
    return { value: { secretCiphertext: services.secretBox.seal(secret, context), step } };
  },
  add: (transaction, accountId, password) =>
    addOneTimePassword(transaction, { accountId, ...password }),
  done: 'One-time passwords are on',
});

const NOT_OF_SECRET =
  'This is not the code of this secret. Check that the clock of your phone is right, and enter the code ' +
  'that the app shows now.';

/** Undefined where the secret was not made for this account. */
function openSecret({ services, session }: PersonRequest, sealed: string): string | undefined {
  try {
    return services.secretBox.open(sealed, setUpContext(session.accountId));
  } catch {
    return undefined;
  }
}

const NOT_ADDED: WrongFields = {
  'passkey-name':
    'The passkey was not added: it came too late, or it is not of this page. Try again.',
};

/** Adds a passkey that a device has made. */
const addPasskeyForm = addFactorForm({
  path: '/account/second-factor/passkeys',
  action: 'add passkey',
  confirmed: (email) => html`You are about to add a passkey for ${email}.`,
  async read(request) {
    const name = readNameField(request.form.text('passkey-name'), NAME_LENGTH);
    if (name === undefined) return { wrong: { 'passkey-name': 'Enter a name in one line.' } };
    const { accountId } = request.session;
    const made = await takeNewPasskey(request, accountId, request.form.text(NEW_PASSKEY_FIELD));
    return made ? { value: { ...made, name } } : { wrong: NOT_ADDED };
  },
  details: ({ name }) => ({ name }),
  add: addPasskey,
  notAdded: NOT_ADDED,
  done: 'The passkey is added',
});

/** Each of these changes takes a proof of its own. */
const withProof = {
  needs: 'own',
  confirmed: 'each-time',
  nothing: ({ site }: PersonRequest): PageAnswer => redirect(secondFactorPath(site)),
} as const;

const recoveryCodesPages = changePages(bothSites, {
  ...withProof,
  path: '/account/second-factor/recovery-codes',
  find: async ({ session }, database) =>
    (await hasFactor(database, session.accountId)) || undefined,
  question: (_factor, { site }) => ({
    title: 'New recovery codes',
    text: html`<p>The recovery codes that you have work no longer.</p>`,
    button: 'Make new recovery codes',
    back: secondFactorPath(site),
  }),
  action: 'renew recovery-codes',
  work: async (transaction, request) => ({
    result: await makeRecoveryCodes(transaction, request, request.session.accountId),
    details: detailsOf(request),
  }),
  done: ({ result: codes }, { site }) => recoveryCodesPage(site, 'New recovery codes', codes),
});

/** The last factor takes the recovery codes with it. */
const nextSignIn = ({ oneTimePassword, passkeys }: SecondFactors): Html =>
  passkeys.length + (oneTimePassword ? 1 : 0) > 1
    ? html`<p>Your other second factors go on working.</p>`
    : html`<p>It is your only second factor. Where one is required, you are led to set up another one.</p>`;

const oneTimePasswordOffPages = changePages(bothSites, {
  ...withProof,
  path: '/account/second-factor/one-time-password/off',
  async find({ session }, database) {
    const factors = await readSecondFactors(database, session.accountId);
    return factors.oneTimePassword && factors;
  },
  question: (factors, { site }) => ({
    title: 'Switch one-time passwords off?',
    text: nextSignIn(factors),
    button: 'Switch off',
    isDanger: true,
    back: secondFactorPath(site),
  }),
  action: 'switch off one-time-password',
  work: async (transaction, request) =>
    (await removeOneTimePassword(transaction, request.session.accountId))
      ? { details: detailsOf(request) }
      : undefined,
  done: (_off, { site }) => redirect(secondFactorPath(site), 'One-time passwords are off.'),
});

const removePasskeyPages = changePages(bothSites, {
  ...withProof,
  path: '/account/second-factor/passkeys/:id/remove',
  async find(request, database) {
    const factors = await readSecondFactors(database, request.session.accountId);
    const passkey = factors.passkeys.find(({ id }) => id === idOf(request));
    return passkey && { passkey, factors };
  },
  question: ({ passkey: { name }, factors }, { site }) => ({
    title: 'Remove a passkey',
    text: html`<p>The passkey <strong>${name}</strong> works no longer.</p>${nextSignIn(factors)}`,
    button: 'Remove the passkey',
    isDanger: true,
    back: secondFactorPath(site),
  }),
  action: 'remove passkey',
  async work(transaction, request, { subject: { passkey } }) {
    const { id, name } = passkey;
    return (await removePasskey(transaction, request.session.accountId, id))
      ? { details: { ...detailsOf(request), name } }
      : undefined;
  },
  done: (_removed, { site }) => redirect(secondFactorPath(site), 'The passkey is removed.'),
});

/** The pages of the person's second factors, on both sites. */
export const secondFactorPages = [
  showSecondFactor,
  ...switchOnOneTimePasswordForm,
  ...addPasskeyForm,
  ...recoveryCodesPages,
  ...oneTimePasswordOffPages,
  ...removePasskeyPages,
] as const;
