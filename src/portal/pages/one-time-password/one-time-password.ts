import {
  type AccountOneTimePassword,
  readOneTimePassword,
} from '../../../db/portal/one-time-passwords.ts';
import { type Html, html, phrase } from '../../../rendering/html.ts';
import { secretContext } from '../../access/account-code.ts';
import { proofField, statusOf, type WrongProof } from '../../access/confirmation.ts';
import { newSecret, qrCode, secretUri } from '../../access/one-time-password.ts';
import { accountPath, oneTimePasswordPath } from '../../access/required-set-up.ts';
import { copyField, field, message, postForm, time } from '../../layout/parts.ts';
import type { PageAnswer, PersonPage, PersonRequest, Site } from '../../page.ts';

/** The person's one-time passwords: sets them up, or shows that they are on. */
export const showOneTimePassword: PersonPage = {
  method: 'GET',
  path: '/account/one-time-password',
  access: 'account',
  needs: 'own',
  always: true,
  handle: (request) => oneTimePasswordPage(request),
};

/** A form of this page that was not accepted. */
interface WrongForm {
  /** Of the set-up: its sealed secret, which stays the same. */
  readonly setUp?: { readonly sealedSecret: string; readonly problem: string };
  readonly off?: WrongProof;
  readonly renewal?: WrongProof;
}

/** The page with the problem of a sent form. */
export async function oneTimePasswordPage(
  request: PersonRequest,
  wrong: WrongForm = {},
): Promise<PageAnswer> {
  const { services, session, site } = request;
  if (session.mustChangePassword) return { kind: 'redirect', to: accountPath(site) };
  const known = await readOneTimePassword(services.database, session.accountId);
  return {
    kind: 'page',
    title: 'One-time passwords',
    ...(wrong.setUp ? { status: 422 } : statusOf(wrong.off ?? wrong.renewal)),
    content: html`<h1>One-time passwords</h1>
<p>With the password, signing in takes a code that an app on your phone shows for 30 seconds. So a stolen
password alone opens nothing.</p>
${known ? onCards(request, known, wrong) : setUpCard(request, wrong)}`,
  };
}

/** What an app calls the secret. */
const issuerOf = ({ name }: Site, environment: 'test' | 'production'): string =>
  environment === 'test' ? `${name} (test)` : name;

/** The owner of a secret that is not stored yet. */
export const setUpContext = (accountId: number): string => `${secretContext(accountId)}, set-up`;

function setUpCard(request: PersonRequest, { setUp }: WrongForm): Html {
  const { services, session, site, formToken } = request;
  const { secretBox, settings } = services;
  const context = setUpContext(session.accountId);
  const secret = setUp ? secretBox.open(setUp.sealedSecret, context) : newSecret();
  const sealed = setUp?.sealedSecret ?? secretBox.seal(secret, context);
  const uri = secretUri(secret, session.email, issuerOf(site, settings.environment));
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
export const recoveryCodesPage = (
  site: Site,
  heading: string,
  codes: readonly string[],
): PageAnswer => ({
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
