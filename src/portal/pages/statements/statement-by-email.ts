import { hasStatementsByEmail, setStatementByEmail } from '../../../db/portal/statement-choice.ts';
import { mayUse } from '../../../domain/access/portal-role.ts';
import { type Html, html, phrase } from '../../../rendering/html.ts';
import { postForm } from '../../layout/parts.ts';
import { type AccountPage, type AccountRequest, PORTAL_PATH } from '../../page.ts';
import { problems } from '../../problem-page.ts';

/** The choice of who may see statements, on the page of the account; nothing for others. */
export async function statementByEmailCard({
  services,
  session,
  formToken,
}: AccountRequest): Promise<Html | false> {
  if (!mayUse(session.role, 'export')) return false;
  const isOn = await hasStatementsByEmail(services.database, session.accountId);
  return html`<section class="card"><h2>Monthly statement by e-mail</h2>
<p>${
    isOn
      ? phrase('You get it some hours after the end of a month, as a page to print and as CSV.')
      : phrase('You do not get it. The statements are in the portal.')
  }</p>
${postForm(
  { action: `${PORTAL_PATH}/account/statement-by-email`, formToken },
  html`<input type="hidden" name="wanted" value="${isOn ? 'no' : 'yes'}">
<button class="secondary">${phrase(isOn ? 'Do not send it to me' : 'Send it to me')}</button>`,
)}</section>`;
}

/** Switches monthly statements by e-mail on or off for the person. */
export const changeStatementByEmail: AccountPage = {
  method: 'POST',
  path: '/account/statement-by-email',
  access: 'account',
  needs: 'own',
  confirmation: 'none',
  async handle({ services, session, form }) {
    if (!mayUse(session.role, 'export')) return problems.notYourRole;
    const wanted = form.text('wanted');
    if (wanted !== 'yes' && wanted !== 'no') return problems.invalid;
    await setStatementByEmail(services.database, session.accountId, wanted === 'yes');
    return {
      kind: 'redirect',
      to: `${PORTAL_PATH}/account`,
      notice:
        wanted === 'yes'
          ? 'You get the monthly statement by e-mail now.'
          : 'You do not get the monthly statement by e-mail any more.',
    };
  },
};
