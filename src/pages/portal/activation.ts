import { findOpenInvitation } from '../../db/people/invitations.ts';
import { html } from '../../rendering/html.ts';
import { field, postForm } from '../layout/parts.ts';
import { anyone, type PageAnswer, PORTAL_PATH, type PublicRequest } from '../page.ts';
import { passwordHint, passwordProblem } from '../session/passwords.ts';
import { admitSession } from '../session/session.ts';
import { activateAccount, countLink } from '../session/sign-in.ts';

const PATH = '/activate/:token';

type Invitation = NonNullable<Awaited<ReturnType<typeof findOpenInvitation>>>;

/**
 * The form behind an invitation link. It changes nothing, because mail scanners follow links, too.
 */
export const showActivation = anyone.page({
  path: PATH,
  hasSecretPath: true,
  async handle(request) {
    const found = await openLink(request);
    return 'kind' in found ? found : activationPage(request, found);
  },
});

/** Uses the link: sets the chosen password of the account and signs the person in. */
export const activateForm = anyone.form({
  path: PATH,
  hasSecretPath: true,
  async handle(request) {
    const { passwords, form } = request;
    const found = await openLink(request);
    if ('kind' in found) return found;
    const password = form.text('new-password');
    const problem = await passwordProblem(password, {
      email: found.email,
      companyName: found.merchantName,
    });
    if (problem !== undefined) return activationPage(request, found, problem);
    const hash = await passwords.make(password);
    const account = await activateAccount(request, digestsOf(request), hash);
    if (account === undefined) return deadLink;
    const next = `${PORTAL_PATH}/getting-started`;
    const answer = await admitSession(request, { ...account, checkedHash: hash }, next);
    return answer ?? deadLink;
  },
});

const digestsOf = ({ services, params }: PublicRequest): Buffer[] =>
  services.digests.stored.invitation(params.token ?? '');

/** The invitation of the link, or the page to show instead. */
async function openLink(request: PublicRequest): Promise<Invitation | PageAnswer> {
  const waitSeconds = await countLink(request);
  if (waitSeconds !== undefined) return tooManyLinks(waitSeconds);
  return (await findOpenInvitation(request.services.database, digestsOf(request))) ?? deadLink;
}

/** One page for used, replaced, expired and unknown links, so that it reveals nothing. */
const deadLink: PageAnswer = {
  kind: 'page',
  status: 404,
  title: 'The link does not work',
  content: html`<div class="card narrow">
<h1>This link does not work</h1>
<p>An invitation link works once and for a limited time, and a newer invitation replaces it.</p>
<p>If you have already chosen a password, <a href="${PORTAL_PATH}/sign-in">sign in</a>. Otherwise ask your
contact at the service for a new invitation.</p>
</div>`,
};

function tooManyLinks(retryAfterSeconds: number): PageAnswer {
  const minutes = Math.ceil(retryAfterSeconds / 60);
  return {
    kind: 'page',
    status: 429,
    retryAfterSeconds,
    title: 'Too many links',
    content: html`<div class="card narrow">
<h1>Too many links were opened</h1>
<p>Wait ${minutes === 1 ? 'a minute' : `${minutes} minutes`}, then open the link again.</p>
</div>`,
  };
}

function activationPage(
  request: PublicRequest,
  { email, merchantName }: Invitation,
  problem?: string,
): PageAnswer {
  return {
    kind: 'page',
    title: 'Activate your account',
    status: problem === undefined ? undefined : 422,
    content: html`<div class="card narrow">
<h1>Welcome, ${merchantName}</h1>
<p>Choose a password to activate your account. You sign in as <strong>${email}</strong>.</p>
${postForm(
  request,
  request.path,
  html`<input type="hidden" name="email" value="${email}" autocomplete="username">
${field({
  name: 'new-password',
  label: 'New password',
  type: 'password',
  autocomplete: 'new-password',
  hint: passwordHint,
  error: problem,
})}
<button>Activate the account</button>`,
)}
</div>`,
  };
}
