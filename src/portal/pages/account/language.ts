import { setLanguage } from '../../../db/portal/languages.ts';
import { type Html, html } from '../../../rendering/html.ts';
import { language, languages, readLanguage } from '../../language/language.ts';
import { postForm, selectField } from '../../layout/parts.ts';
import { type AccountPage, type AccountRequest, PORTAL_PATH } from '../../page.ts';
import { problems } from '../../problem-page.ts';

/** The choice of the language, on the page of the account. */
export const languageCard = ({
  formToken,
}: AccountRequest): Html => html`<section class="card"><h2>Language</h2>
${postForm(
  { action: `${PORTAL_PATH}/account/language`, formToken },
  html`${selectField({
    name: 'language',
    label: 'Language',
    value: language(),
    options: Object.entries(languages),
  })}
<button class="secondary">Change the language</button>`,
)}</section>`;

/** Changes the language of the person's pages. */
export const changeLanguage: AccountPage = {
  method: 'POST',
  path: '/account/language',
  access: 'account',
  needs: 'own',
  confirmation: 'none',
  async handle({ services, session, form }) {
    const chosen = readLanguage(form.text('language'));
    if (chosen === undefined) return problems.invalid;
    await setLanguage(services.database, session.accountId, chosen);
    return {
      kind: 'redirect',
      to: `${PORTAL_PATH}/account`,
      notice: 'The portal is in this language now.',
    };
  },
};
