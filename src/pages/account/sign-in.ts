import { findPortalAccount, mayHaveAccount } from '../../db/people/accounts.ts';
import { endPortalSession } from '../../db/people/sign-ins.ts';
import type { Employer } from '../../domain/vouchers/voucher.ts';
import { html, phrase } from '../../rendering/html.ts';
import { language, languages } from '../language/language.ts';
import { field, formTokenField, message } from '../layout/parts.ts';
import { anyone, bothSites, type PageAnswer, type PublicRequest, type Site } from '../page.ts';
import { admitSession, recordFailedSignIn } from '../session/session.ts';
import {
  countPassword,
  forgivePassword,
  signInLimits,
  signInPriority,
  waitSentence,
} from '../session/sign-in.ts';

/** The sign-in form. */
export const showSignIn = anyone.page({
  path: '/sign-in',
  handle: (request) =>
    signInPage(request, {
      email: '',
      next: request.query.get('next') ?? '',
      news: newsOf(request.query),
    }),
});

const newsOf = (query: URLSearchParams) =>
  query.has('late')
    ? message('notice', 'The code came too late, or the password was changed: sign in again.')
    : query.has('ended')
      ? message('notice', 'Your session has ended. Your last change was not made: sign in again.')
      : query.has('out')
        ? message('success', 'You are signed out.')
        : undefined;

/**
 * Signs in by e-mail address and password. An unknown address gets the answer of a wrong password,
 * after the same work. Every attempt is counted before the comparison.
 */
export const signInForm = anyone.form({
  path: '/sign-in',
  changesNothing: true,
  async handle(request) {
    const { services, passwords, site, form } = request;
    const shown = { email: form.text('email').slice(0, 200), next: form.text('next') };
    const password = form.text('password');
    if (shown.email.trim() === '' || password === '' || password.length > MAXIMUM_LENGTH)
      return signInPage(request, {
        ...shown,
        status: 422,
        problem: 'Enter your e-mail address and your password.',
      });
    const limits = signInLimits(request, shown.email);
    const waitSeconds = await countPassword(request, limits);
    if (waitSeconds !== undefined)
      return signInPage(request, {
        ...shown,
        status: 429,
        retryAfterSeconds: waitSeconds,
        problem: waitSentence(waitSeconds),
      });
    const known = mayHaveAccount(shown.email)
      ? await findPortalAccount(services.database, shown.email)
      : undefined;
    const account = known && isOf(site, known.company) ? known : undefined;
    const priority = signInPriority(request, shown.email);
    const isRight = await passwords.fits(password, account?.passwordHash, priority);
    const notRight = signInPage(request, {
      ...shown,
      status: 403,
      problem: 'The e-mail address or the password is incorrect.',
    });
    if (!account?.passwordHash) return notRight;
    const failure = isRight ? failureOf(account) : 'wrong password';
    if (failure !== undefined) recordFailedSignIn(request, account, failure);
    if (failure === 'expired password')
      return signInPage(request, { ...shown, status: 403, problem: PASSWORD_OVER });
    if (failure !== undefined) return notRight;
    const checkedHash = account.passwordHash;
    const isOutdated = passwords.isOutdated(checkedHash);
    const newHash = isOutdated ? await passwords.make(password) : undefined;
    const answer = await admitSession(request, { ...account, checkedHash, newHash }, shown.next);
    if (answer === undefined) return notRight;
    // Where a code follows, the own count goes on: a known password buys no further guesses of it.
    const forgiven = limits.filter(({ isOwn }) => !(isOwn && account.hasOneTimePassword));
    await forgivePassword(request, forgiven);
    return answer;
  },
});

const failureOf = ({ disabledAt, isPasswordOver }: NonNullable<FoundAccount>) =>
  disabledAt !== null ? 'disabled account' : isPasswordOver ? 'expired password' : undefined;

type FoundAccount = Awaited<ReturnType<typeof findPortalAccount>>;

/** An account of the other site is answered like an unknown account. */
export const isOf = ({ isForStaff }: Site, company: Employer): boolean =>
  isForStaff === (company.kind === 'staff');

const MAXIMUM_LENGTH = 200;
/** Shown only after the correct password. */
const PASSWORD_OVER =
  'This password was valid for the first sign-in only and has expired. Ask your contact at the ' +
  'service for a new one.';

function signInPage(
  request: PublicRequest,
  shown: {
    readonly email: string;
    readonly next: string;
    readonly news?: ReturnType<typeof newsOf>;
    readonly problem?: string;
    readonly status?: number;
    readonly retryAfterSeconds?: number;
  },
): PageAnswer {
  const { status, retryAfterSeconds } = shown;
  const { site } = request;
  return {
    kind: 'page',
    title: 'Sign in',
    ...(status === undefined ? {} : { status }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    content: html`<div class="card narrow">
<h1>Sign in</h1>
<p class="quiet">${phrase(site.audience)}</p>
${shown.news}
${shown.problem && message('danger', shown.problem)}
<form class="form" method="post" action="${site.basePath}/sign-in">
${formTokenField(request.formToken)}
<input type="hidden" name="next" value="${shown.next}">
${field({ name: 'email', label: 'E-mail address', type: 'email', value: shown.email, autocomplete: 'username' })}
${field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' })}
<button>Sign in</button>
</form>
<p class="quiet">No account, or forgotten password? Ask your contact at the service: an operator
makes a new one.</p>
${!site.isForStaff && html`<p>${languageLink(site)}</p>`}
</div>`,
  };
}

/** The page in the other language. */
function languageLink({ basePath }: Site) {
  const other = language() === 'am' ? 'en' : 'am';
  return html`<a href="${basePath}/sign-in?language=${other}" lang="${other}" hreflang="${other}">${languages[other]}</a>`;
}

/** Ends the session in the database, so that every copy of its token becomes useless. */
export const signOutForm = bothSites.form({
  path: '/sign-out',
  changesNothing: true,
  needs: 'own',
  confirmation: 'none',
  always: true,
  async handle({ services, cookies, site, sessionToken }) {
    if (sessionToken !== undefined)
      await endPortalSession(
        services.database,
        services.digests.stored.portalSession(sessionToken),
      );
    return {
      kind: 'redirect',
      to: `${site.basePath}/sign-in?out=yes`,
      setCookies: [cookies.session.clear()],
    };
  },
});
