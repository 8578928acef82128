import {
  type AccountOneTimePassword,
  addOneTimePassword,
  endPortalSessions,
  findHalfSignIn,
  readOneTimePassword,
  removeOneTimePassword,
} from '../../db/people/sign-ins.ts';
import { type Html, html, phrase } from '../../rendering/html.ts';
import { problems } from '../answers.ts';
import { copyField, field, message, postForm, time } from '../layout/parts.ts';
import {
  anyone,
  bothSites,
  type PageAnswer,
  type PersonRequest,
  type PublicRequest,
  type Site,
} from '../page.ts';
import {
  answerStatus,
  changeAccess,
  checkProof,
  codeField,
  proofField,
  type WrongProof,
} from '../session/confirmation.ts';
import {
  codeProblem,
  makeRecoveryCodes,
  newSecret,
  plainCode,
  qrCode,
  secretContext,
  secretUri,
  stepOf,
  takeCode,
} from '../session/passwords.ts';
import {
  accountPath,
  codePath,
  completeSignIn,
  oneTimePasswordPath,
  pathAfter,
  recordFailedSignIn,
} from '../session/session.ts';
import { codeLimits, countPassword, forgivePassword, waitSentence } from '../session/sign-in.ts';
import { isOf } from './sign-in.ts';

/** The person's one-time passwords: sets them up, or shows that they are on. */
export const showOneTimePassword = bothSites.page({
  path: '/account/one-time-password',
  needs: 'own',
  always: true,
  handle: (request) => oneTimePasswordPage(request),
});

/** A form of this page that was not accepted. */
interface WrongForm {
  /** Of the set-up: its sealed secret, which stays the same. */
  readonly setUp?: { readonly sealedSecret: string; readonly problem: string };
  readonly off?: WrongProof;
  readonly renewal?: WrongProof;
}

/** The page with the problem of a sent form. */
async function oneTimePasswordPage(
  request: PersonRequest,
  wrong: WrongForm = {},
): Promise<PageAnswer> {
  const { services, session, site } = request;
  if (session.mustChangePassword) return { kind: 'redirect', to: accountPath(site) };
  const known = await readOneTimePassword(services.database, session.accountId);
  return {
    kind: 'page',
    title: 'One-time passwords',
    ...(wrong.setUp ? { status: 422 } : answerStatus(wrong.off ?? wrong.renewal)),
    content: html`<h1>One-time passwords</h1>
<p>With the password, signing in takes a code that an app on your phone shows for 30 seconds. So a stolen
password alone opens nothing.</p>
${known ? onCards(request, known, wrong) : setUpCard(request, wrong)}`,
  };
}

/** The name of the secret in an app. */
const issuerOf = ({ name }: Site, environment: 'test' | 'production'): string =>
  environment === 'test' ? `${name} (test)` : name;

/** The owner of a secret that is not stored yet. */
const setUpContext = (accountId: number): string => `${secretContext(accountId)}, set-up`;

function setUpCard(request: PersonRequest, { setUp }: WrongForm): Html {
  const { services, session, site, formToken } = request;
  const { secretBox, settings } = services;
  const context = setUpContext(session.accountId);
  const secret = setUp ? secretBox.open(setUp.sealedSecret, context) : newSecret();
  const sealed = setUp?.sealedSecret ?? secretBox.seal(secret, context);
  const uri = secretUri(secret, session.email, issuerOf(site, settings.process.environment));
  return html`${
    session.needsOneTimePassword &&
    message(
      'warning',
      site.isForStaff
        ? 'Everybody here has one-time passwords. Set yours up first, then everything else opens.'
        : 'Your company requires one-time passwords. Set yours up first, then everything else opens.',
    )
  }
<section class="card"><h2>Set up</h2>
<ol class="steps"><li><p>Install an authenticator app, such as Aegis, Google Authenticator or 2FAS, and scan
this code with it.</p>
${qrCode(uri, 'QR code with the secret of your one-time passwords')}
<p><a href="${uri}">Open it in an app on this device</a>, or type the secret into the app:</p>
${copyField({ name: 'secret', label: 'Secret', value: secret.replace(/(.{4})(?=.)/g, '$1 ') })}</li>
<li>${postForm(
    { action: oneTimePasswordPath(site), formToken },
    html`<input type="hidden" name="sealed-secret" value="${sealed}">
${field({
  name: 'new-code',
  label: 'One-time password',
  hint: 'The six digits that the app shows now.',
  autocomplete: 'one-time-code',
  maximumLength: 20,
  error: setUp?.problem,
})}
<button>Switch on</button>`,
  )}</li></ol>
</section>`;
}

function onCards(request: PersonRequest, known: AccountOneTimePassword, wrong: WrongForm): Html {
  const { session, formToken } = request;
  const path = oneTimePasswordPath(request.site);
  const { recoveryCodesLeft } = known;
  return html`<section class="card"><h2>Recovery codes</h2>
<p>One-time passwords are on since ${time(known.since)}. Each recovery code replaces one, once, when you do not
have your phone. You have ${recoveryCodesLeft} of them left.</p>
${
  recoveryCodesLeft <= 2 &&
  message('warning', 'Make new recovery codes before you run out of them.')
}
${postForm(
  { action: `${path}/recovery-codes`, formToken },
  html`${proofField(request, wrong.renewal?.problem)}
<button class="secondary">Make new recovery codes</button>`,
)}</section>
<section class="card"><h2>Another phone, or no app any more</h2>
${
  session.needsOneTimePassword
    ? wayToAnotherPhone(request.site)
    : html`<p>Switch them off, and set them up again with another phone if you want.</p>`
}
${postForm(
  { action: `${path}/off`, formToken },
  html`${proofField(request, wrong.off?.problem)}
<button class="danger">Switch off</button>`,
)}</section>`;
}

const wayToAnotherPhone = ({ isForStaff }: Site): Html =>
  isForStaff
    ? html`<p>Everybody here has one-time passwords. To move to another phone, switch them off here; you are
then led to set them up again.</p>`
    : html`<p>Your company requires one-time passwords. To move to another phone, switch them off here; the
portal then leads you to set them up again.</p>`;

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

const detailsOf = ({ session }: PersonRequest) => ({
  accountId: session.accountId,
  email: session.email,
});

/** Switches one-time passwords on after the first of them, and ends the person's other sessions. */
export const switchOnOneTimePasswordForm = bothSites.form({
  path: '/account/one-time-password',
  needs: 'own',
  confirmation: ({ session }: PersonRequest) =>
    html`You are about to switch on one-time passwords for ${session.email}.`,
  always: true,
  async handle(request) {
    const { services, session, form } = request;
    const { accountId } = session;
    // Only a person who alone knows the password.
    if (session.mustChangePassword) return { kind: 'redirect', to: accountPath(request.site) };
    const sealedSecret = form.text('sealed-secret');
    const secret = openSecret(request, sealedSecret);
    if (secret === undefined) return problems.invalid;
    const step = stepOf(secret, plainCode(form.text('new-code')));
    if (step === undefined)
      return oneTimePasswordPage(request, { setUp: { sealedSecret, problem: NOT_OF_SECRET } });
    const secretCiphertext = services.secretBox.seal(secret, secretContext(accountId));
    const codes = await changeAccess(
      request,
      'switch on one-time-password',
      async (transaction) => {
        if (!(await addOneTimePassword(transaction, { accountId, secretCiphertext, step })))
          return undefined;
        await endPortalSessions(transaction, accountId, session.id);
        const result = await makeRecoveryCodes(transaction, request, accountId);
        return { result, details: detailsOf(request) };
      },
    );
    if (codes === undefined) return { kind: 'redirect', to: oneTimePasswordPath(request.site) };
    return recoveryCodesPage(request.site, 'One-time passwords are on', codes);
  },
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

/** Replaces the recovery codes after a proof. */
export const renewRecoveryCodesForm = bothSites.form({
  path: '/account/one-time-password/recovery-codes',
  needs: 'own',
  confirmation: 'each-time',
  async handle(request) {
    const { accountId, hasOneTimePassword } = request.session;
    if (!hasOneTimePassword) return { kind: 'redirect', to: oneTimePasswordPath(request.site) };
    const renewal = await checkProof(request);
    if (renewal) return oneTimePasswordPage(request, { renewal });
    const codes = await changeAccess(request, 'renew recovery-codes', async (transaction) => {
      if (!(await readOneTimePassword(transaction, accountId))) return undefined;
      const result = await makeRecoveryCodes(transaction, request, accountId);
      return { result, details: detailsOf(request) };
    });
    if (codes === undefined) return { kind: 'redirect', to: oneTimePasswordPath(request.site) };
    return recoveryCodesPage(request.site, 'New recovery codes', codes);
  },
});

/** Switches one-time passwords off after a proof. */
export const switchOffOneTimePasswordForm = bothSites.form({
  path: '/account/one-time-password/off',
  needs: 'own',
  confirmation: 'each-time',
  async handle(request) {
    const { accountId, hasOneTimePassword } = request.session;
    if (!hasOneTimePassword) return { kind: 'redirect', to: oneTimePasswordPath(request.site) };
    const off = await checkProof(request);
    if (off) return oneTimePasswordPage(request, { off });
    await changeAccess(request, 'switch off one-time-password', async (transaction) =>
      (await removeOneTimePassword(transaction, accountId))
        ? { result: true, details: detailsOf(request) }
        : undefined,
    );
    return {
      kind: 'redirect',
      to: oneTimePasswordPath(request.site),
      notice: 'One-time passwords are off.',
    };
  },
});

/** Asks for the code of a sign-in, after the password. */
export const showCode = anyone.page({
  path: '/sign-in/code',
  handle: (request) => codePage(request, request.query.get('next') ?? ''),
});

/** Time between the password and the code of a sign-in. */
const SECOND_STEP_SECONDS = 300;

/**
 * Completes a sign-in by a one-time password or a recovery code. Every attempt is counted before the
 * comparison; a code works once.
 */
export const enterCodeForm = anyone.form({
  path: '/sign-in/code',
  changesNothing: true,
  async handle(request) {
    const { services, site, form, halfToken } = request;
    const next = form.text('next');
    const half =
      halfToken &&
      (await findHalfSignIn(
        services.database,
        services.digests.stored.portalHalfSignIn(halfToken),
        SECOND_STEP_SECONDS,
      ));
    if (!half || !isOf(site, half.company)) return tooLate(request);
    const limits = codeLimits(request, half);
    const waitSeconds = await countPassword(request, limits);
    if (waitSeconds !== undefined)
      return codePage(request, next, { problem: waitSentence(waitSeconds), waitSeconds });
    const taken = await takeCode(request, half.accountId, form.text('code'));
    if (taken === 'used' || taken === 'wrong') {
      recordFailedSignIn(request, half, 'wrong code');
      return codePage(request, next, { problem: codeProblem(taken) });
    }
    const isRecovery = taken === 'recovery-code';
    const setCookies = await completeSignIn(request, { ...half, halfToken, isRecovery });
    if (setCookies === undefined) return tooLate(request);
    await forgivePassword(request, limits);
    return { kind: 'redirect', to: pathAfter(site, next), setCookies };
  },
});

/** The sign-in begins again: the password was entered too long ago, or was changed meanwhile. */
const tooLate = ({ cookies, site }: PublicRequest): PageAnswer => ({
  kind: 'redirect',
  to: `${site.basePath}/sign-in?late=yes`,
  setCookies: [cookies.half.clear()],
});

function codePage(request: PublicRequest, next: string, wrong?: WrongProof): PageAnswer {
  return {
    kind: 'page',
    title: 'One-time password',
    ...answerStatus(wrong),
    content: html`<div class="card narrow">
<h1>One-time password</h1>
<p>Your password is right. Now enter the code that your authenticator app shows.</p>
${postForm(
  { action: codePath(request.site), formToken: request.formToken },
  html`<input type="hidden" name="next" value="${next}">
${codeField({ error: wrong?.problem })}
<button>Sign in</button>`,
)}
${message(
  'notice',
  html`<strong>No phone at hand?</strong> Enter one of your recovery codes instead. Without these, ask
your contact at the service.`,
)}
<p><a href="${request.site.basePath}/sign-in">Sign in with another account</a></p>
</div>`,
  };
}
