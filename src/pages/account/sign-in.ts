import { findPortalAccount, mayHaveAccount } from '../../db/people/accounts.ts';
import { endPortalSession, findHalfSignIn } from '../../db/people/sign-ins.ts';
import type { Employer } from '../../domain/vouchers/voucher.ts';
import { html, phrase } from '../../rendering/html.ts';
import { language, languages } from '../language/language.ts';
import { field, formTokenField, message, postForm } from '../layout/parts.ts';
import { anyone, bothSites, type PageAnswer, type PublicRequest, type Site } from '../page.ts';
import { secondFactorFields } from '../session/confirmation.ts';
import { LONGEST_PASSWORD } from '../session/passwords.ts';
import { takeFactor } from '../session/second-factor.ts';
import {
  admitSession,
  completeSignIn,
  pathAfter,
  recordFailedSignIn,
  secondStepPath,
} from '../session/session.ts';
import {
  answerStatus,
  countPassword,
  forgivePassword,
  secondFactorLimits,
  signInLimits,
  signInPriority,
  type WrongProof,
} from '../session/sign-in.ts';

/** The sign-in form. */
export const showSignIn = anyone.page({
  path: '/sign-in',
  handle: (request) =>
    signInPage(request, {
      next: request.query.get('next') ?? '',
      news: newsOf(request.query),
    }),
});

const newsOf = (query: URLSearchParams) =>
  query.has('late')
    ? message(
        'notice',
        'The second factor came too late, or the password was changed: sign in again.',
      )
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
    const email = emailOf(request);
    const password = form.text('password');
    if (email.trim() === '' || password === '' || password.length > LONGEST_PASSWORD)
      return signInPage(request, {
        status: 422,
        problem: 'Enter your e-mail address and your password.',
      });
    const limits = signInLimits(request, email);
    const tooMany = await countPassword(request, limits);
    if (tooMany) return signInPage(request, { ...answerStatus(tooMany), problem: tooMany.problem });
    const known = mayHaveAccount(email)
      ? await findPortalAccount(services.database, email)
      : undefined;
    const account = known && isOf(site, known.company) ? known : undefined;
    const priority = signInPriority(request, email);
    const isRight = await passwords.fits(password, account?.passwordHash, priority);
    const notRight = signInPage(request, {
      status: 403,
      problem: 'The e-mail address or the password is incorrect.',
    });
    if (!account?.passwordHash) return notRight;
    const failure = isRight ? failureOf(account) : 'wrong password';
    if (failure !== undefined) recordFailedSignIn(request, account, failure);
    if (failure === 'expired password')
      return signInPage(request, { status: 403, problem: passwordOver(site) });
    if (failure !== undefined) return notRight;
    const checkedHash = account.passwordHash;
    const isOutdated = passwords.isOutdated(checkedHash);
    const newHash = isOutdated ? await passwords.make(password) : undefined;
    const answer = await admitSession(
      request,
      { ...account, checkedHash, newHash },
      form.text('next'),
    );
    if (answer === undefined) return notRight;
    // Where a second factor follows, the own count goes on: a known password buys no further guesses of it.
    const forgiven = limits.filter(({ isOwn }) => !(isOwn && account.hasSecondFactor));
    await forgivePassword(request, forgiven);
    return answer;
  },
});

/** As it was typed; no address is that long. */
const emailOf = ({ form }: PublicRequest): string => form.text('email').slice(0, 200);

const failureOf = ({ disabledAt, isPasswordOver }: NonNullable<FoundAccount>) =>
  disabledAt !== null ? 'disabled account' : isPasswordOver ? 'expired password' : undefined;

type FoundAccount = Awaited<ReturnType<typeof findPortalAccount>>;

/** An account of the other site is answered like an unknown account. */
const isOf = ({ isForStaff }: Site, company: Employer): boolean =>
  isForStaff === (company.kind === 'staff');

/** Shown only after the correct password. */
const passwordOver = ({ isForStaff }: Site): string =>
  isForStaff
    ? 'This password was valid for the first sign-in only and has expired. Ask an operator for a new one.'
    : 'This password was valid for the first sign-in only and has expired. Ask your contact at the ' +
      'service for a new one.';

function signInPage(
  request: PublicRequest,
  shown: {
    /** That of the form by default. */
    readonly next?: string;
    readonly news?: ReturnType<typeof newsOf>;
    readonly problem?: string;
    readonly status?: number;
    readonly retryAfterSeconds?: number;
  },
): PageAnswer {
  const { site, form } = request;
  const { next = form.text('next'), status, retryAfterSeconds } = shown;
  return {
    kind: 'page',
    title: 'Sign in',
    status,
    retryAfterSeconds,
    content: html`<div class="card narrow">
<h1>Sign in</h1>
<p class="quiet">${phrase(site.audience)}</p>
${shown.news}
${shown.problem && message('danger', shown.problem)}
<form class="form" method="post" action="${site.basePath}/sign-in">
${formTokenField(request.formToken)}
<input type="hidden" name="next" value="${next}">
${field({ name: 'email', label: 'E-mail address', type: 'email', value: emailOf(request), autocomplete: 'username' })}
${field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' })}
<button>Sign in</button>
</form>
${
  site.isForStaff
    ? html`<p class="quiet">No account, or forgotten password? An operator makes a new one.</p>`
    : html`<p class="quiet">No account, or forgotten password? Ask your contact at the service: an operator
makes a new one.</p>`
}
${!site.isForStaff && html`<p>${languageLink(site)}</p>`}
</div>`,
  };
}

/** The page in the other language. */
function languageLink({ basePath }: Site) {
  const other = language() === 'am' ? 'en' : 'am';
  return html`<a href="${basePath}/sign-in?language=${other}" lang="${other}" hreflang="${other}">${languages[other]}</a>`;
}

/** The session has ended. */
export const signedOut = ({
  cookies,
  site,
}: Pick<PublicRequest, 'cookies' | 'site'>): PageAnswer => ({
  kind: 'redirect',
  to: `${site.basePath}/sign-in?out=yes`,
  setCookies: [cookies.session.clear()],
});

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
    return signedOut({ cookies, site });
  },
});

/** Asks for the second factor of a sign-in, after the password. */
export const showSecondStep = anyone.page({
  path: '/sign-in/second-factor',
  async handle(request) {
    const half = await halfOf(request);
    return half ? secondStepPage(request, half, request.query.get('next') ?? '') : tooLate(request);
  },
});

/** Time between the password and the second factor of a sign-in. */
const SECOND_STEP_SECONDS = 300;

/** The half sign-in of a browser; undefined where it has ended, or belongs to the other site. */
async function halfOf({ services, site, halfToken }: PublicRequest) {
  if (halfToken === undefined) return undefined;
  const digests = services.digests.stored.portalHalfSignIn(halfToken);
  const half = await findHalfSignIn(services.database, digests, SECOND_STEP_SECONDS);
  return half && isOf(site, half.company) ? { ...half, halfToken } : undefined;
}

/**
 * Completes a sign-in by a passkey, a one-time password or a recovery code. Every attempt is counted before
 * the check; each of them works once.
 */
export const secondStepForm = anyone.form({
  path: '/sign-in/second-factor',
  changesNothing: true,
  async handle(request) {
    const next = request.form.text('next');
    const half = await halfOf(request);
    if (!half) return tooLate(request);
    const limits = secondFactorLimits(request, half);
    const tooMany = await countPassword(request, limits);
    if (tooMany) return secondStepPage(request, half, next, tooMany);
    const wrong = await takeFactor(request, half);
    if (wrong) {
      recordFailedSignIn(request, half, `wrong ${wrong.by}`);
      return secondStepPage(request, half, next, wrong);
    }
    const setCookies = await completeSignIn(request, half);
    if (setCookies === undefined) return tooLate(request);
    await forgivePassword(request, limits);
    return { kind: 'redirect', to: pathAfter(request.site, next), setCookies };
  },
});

/** The sign-in begins again: the password was entered too long ago, or was changed meanwhile. */
const tooLate = ({ cookies, site }: PublicRequest): PageAnswer => ({
  kind: 'redirect',
  to: `${site.basePath}/sign-in?late=yes`,
  setCookies: [cookies.half.clear()],
});

async function secondStepPage(
  request: PublicRequest,
  { accountId }: { readonly accountId: number },
  next: string,
  wrong?: WrongProof,
): Promise<PageAnswer> {
  return {
    kind: 'page',
    title: 'Second factor',
    ...answerStatus(wrong),
    content: html`<div class="card narrow">
<h1>Second factor</h1>
<p>Your password is right. Now use your second factor.</p>
${postForm(
  request,
  secondStepPath(request.site),
  html`<input type="hidden" name="next" value="${next}">
${await secondFactorFields(request, accountId, wrong?.problem)}
<button>Sign in</button>`,
)}
${message(
  'notice',
  request.site.isForStaff
    ? html`<strong>No phone at hand?</strong> Enter one of your recovery codes instead. Without these, ask an operator.`
    : html`<strong>No phone at hand?</strong> Enter one of your recovery codes instead. Without these, ask
your contact at the service.`,
)}
<p><a href="${request.site.basePath}/sign-in">Sign in with another account</a></p>
</div>`,
  };
}
