import { setOneTimePasswordRule } from '../../../db/portal/one-time-passwords.ts';
import { type Html, html, phrase } from '../../../rendering/html.ts';
import { changeAccess } from '../../access/change-access.ts';
import { postForm } from '../../layout/parts.ts';
import { type AccountPage, type AccountRequest, PORTAL_PATH } from '../../page.ts';

const PATH = '/people/one-time-passwords';

/** The company's rule, on the page of people. */
export const oneTimePasswordRuleCard = ({ session, formToken }: AccountRequest): Html => {
  const { needsOneTimePassword } = session;
  return html`<section class="card"><h2>One-time passwords</h2>
<p>${
    needsOneTimePassword
      ? phrase(
          'Everybody needs a one-time password to sign in. Who has none sets it up before anything else.',
        )
      : phrase('Each person decides whether to sign in with a one-time password.')
  }</p>
${postForm(
  { action: `${PORTAL_PATH}${PATH}`, formToken },
  html`<input type="hidden" name="required" value="${needsOneTimePassword ? 'no' : 'yes'}">
<button class="secondary">${phrase(needsOneTimePassword ? 'Leave it to each person' : 'Require them of everybody')}</button>`,
)}</section>`;
};

/** Requires one-time passwords of all people of the company, or leaves them to each. */
export const requireOneTimePasswords: AccountPage = {
  method: 'POST',
  path: PATH,
  access: 'account',
  needs: 'people',
  confirmation: ({ form }) =>
    form.text('required') === 'yes'
      ? html`You are about to require one-time passwords of everybody.`
      : html`You are about to leave one-time passwords to each person.`,
  async handle(request) {
    const isRequired = request.form.text('required') === 'yes';
    const { company } = request.session;
    const action = isRequired ? 'require one-time-passwords' : 'release one-time-passwords';
    await changeAccess(request, action, async (transaction) =>
      (await setOneTimePasswordRule(transaction, company, isRequired))
        ? { result: true, details: {} }
        : undefined,
    );
    return {
      kind: 'redirect',
      to: `${PORTAL_PATH}/people`,
      notice: isRequired
        ? 'Everybody needs a one-time password now.'
        : 'Each person decides about one-time passwords now.',
    };
  },
};
