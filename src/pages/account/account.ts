import { addPersonEntry } from '../../db/access/calls.ts';
import { replacePassword } from '../../db/people/accounts.ts';
import { endInvitationsOf } from '../../db/people/invitations.ts';
import { endPortalSessions } from '../../db/people/sign-ins.ts';
import { html, phrase } from '../../rendering/html.ts';
import { field, message, postForm, type WrongFields } from '../layout/parts.ts';
import { bothSites, type PageAnswer, type PersonRequest, redirect } from '../page.ts';
import { passwordHint, passwordProblem } from '../session/passwords.ts';
import { accountPath, secondFactorPath } from '../session/session.ts';
import { answerStatus, checkPresentPassword, NOT_PRESENT } from '../session/sign-in.ts';
import { secondFactorPages } from './second-factor.ts';
import {
  secondStepForm,
  showSecondStep,
  showSignIn,
  signedOut,
  signInForm,
  signOutForm,
} from './sign-in.ts';

/** The person's own account: password and sessions. */
const showAccount = bothSites.page({
  path: '/account',
  needs: 'own',
  always: true,
  handle: accountPage,
});

/**
 * Changes the password, and ends every other session and older links, so that what was stolen becomes useless.
 */
const changePassword = bothSites.form({
  path: '/account/password',
  needs: 'own',
  confirmation: 'each-time',
  always: true,
  async handle(request) {
    const { services, passwords, session, sourceAddress } = request;
    const present = request.form.text('password');
    const chosen = request.form.text('new-password');
    const checked = await checkPresentPassword(request);
    if (!checked.isRight)
      return accountPage(request, { password: checked.problem }, answerStatus(checked));
    const problem = await passwordProblem(chosen, session);
    if (problem !== undefined) return accountPage(request, { 'new-password': problem });
    if (chosen === present)
      return accountPage(request, {
        'new-password': 'Choose a password that differs from the current one.',
      });
    const newHash = await passwords.make(chosen);
    const ids = { accountId: session.accountId, sessionId: session.id };
    const isChanged = await services.database.transaction().execute(async (transaction) => {
      const hashes = { checkedHash: checked.hash, newHash };
      if (!(await replacePassword(transaction, { ...ids, ...hashes }))) return false;
      await endPortalSessions(transaction, session.accountId, session.id);
      await endInvitationsOf(transaction, { accountId: session.accountId });
      const details = { accountId: session.accountId, sourceAddress };
      await addPersonEntry(transaction, session, 'change portal-password', details);
      return true;
    });
    if (!isChanged) return accountPage(request, { password: NOT_PRESENT });
    return redirect(
      accountPath(request.site),
      'Your password is changed. Sessions on other devices have ended.',
    );
  },
});

/** Ends every session of the account, including this one. */
const signOutEverywhere = bothSites.form({
  path: '/account/sign-out-everywhere',
  needs: 'own',
  confirmation: 'none',
  always: true,
  async handle(request) {
    const { services, session, sourceAddress } = request;
    await services.database.transaction().execute(async (transaction) => {
      await endPortalSessions(transaction, session.accountId);
      await addPersonEntry(transaction, session, 'sign out everywhere', { sourceAddress });
    });
    return signedOut(request);
  },
});

async function accountPage(
  request: PersonRequest,
  wrong?: WrongFields,
  answer: ReturnType<typeof answerStatus> = wrong ? { status: 422 } : {},
): Promise<PageAnswer> {
  const { session, site } = request;
  const path = accountPath(site);
  const passwordForm = postForm(
    request,
    `${path}/password`,
    html`${field({
      name: 'password',
      label: 'Current password',
      type: 'password',
      autocomplete: 'current-password',
      error: wrong?.password,
    })}
${field({
  name: 'new-password',
  label: 'New password',
  type: 'password',
  autocomplete: 'new-password',
  hint: passwordHint,
  error: wrong?.['new-password'],
})}
<button>Change the password</button>`,
  );
  return {
    kind: 'page',
    title: 'Account',
    ...answer,
    content: html`<h1>Account</h1>
<p class="quiet">${session.email}</p>
${
  session.mustChangePassword &&
  message('warning', 'Choose your own password first: somebody else has seen this one.')
}
<section class="card"><h2>Password</h2>${passwordForm}</section>
${
  !session.mustChangePassword &&
  html`<section class="card"><h2>Second factor</h2>
<p>${
    session.hasSecondFactor
      ? phrase('It is on: signing in takes a passkey or a code, too.')
      : phrase('It is off. With it a stolen password alone opens nothing.')
  }</p>
<p class="actions"><a class="button secondary" href="${secondFactorPath(site)}">${phrase(
    session.hasSecondFactor ? 'Passkeys, one-time passwords, recovery codes' : 'Set it up',
  )}</a></p></section>
${await site.accountCards?.(request)}`
}
<section class="card"><h2>Sessions</h2>
<p>Ends your sessions on every device, including this one. Then sign in again.</p>
${postForm(
  request,
  `${path}/sign-out-everywhere`,
  html`<button class="secondary">Sign out everywhere</button>`,
)}
</section>`,
  };
}

/** The pages of a person's own account, on both sites. */
export const accountPages = [
  showSignIn,
  signInForm,
  showSecondStep,
  secondStepForm,
  signOutForm,
  showAccount,
  changePassword,
  signOutEverywhere,
  ...secondFactorPages,
] as const;
