import { findHalfSignIn } from '../../../db/portal/half-sign-ins.ts';
import { html } from '../../../rendering/html.ts';
import { codeProblem, takeCode } from '../../access/account-code.ts';
import { codePath, pathAfter } from '../../access/admit.ts';
import { codeField, statusOf, type WrongProof } from '../../access/confirmation.ts';
import { completeSignIn, recordFailedSignIn } from '../../access/session.ts';
import {
  codeLimits,
  countPassword,
  forgivePassword,
  waitSentence,
} from '../../access/sign-in-throttle.ts';
import { message, postForm } from '../../layout/parts.ts';
import type { PageAnswer, PublicPage, PublicRequest } from '../../page.ts';
import { isOf } from '../account/sign-in.ts';

/** Asks for the code of a sign-in, after the password. */
export const showCode: PublicPage = {
  method: 'GET',
  path: '/sign-in/code',
  access: 'anyone',
  handle: (request) => Promise.resolve(codePage(request, request.query.get('next') ?? '')),
};

/**
 * Completes a sign-in by a one-time password or a recovery code. Every attempt is counted before the
 * comparison; a code works once.
 */
export const enterCode: PublicPage = {
  method: 'POST',
  path: '/sign-in/code',
  changesNothing: true,
  access: 'anyone',
  async handle(request) {
    const { services, settings, site, form, halfToken } = request;
    const next = form.text('next');
    const half =
      halfToken &&
      (await findHalfSignIn(
        services.database,
        services.digests.stored.portalHalfSignIn(halfToken),
        settings.secondStepSeconds,
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
};

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
    ...statusOf(wrong),
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
