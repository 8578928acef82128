import { addAuditEntry } from '../../../db/access/audit.ts';
import { messageLanguageOf, setMessageLanguage } from '../../../db/catalogue/message-language.ts';
import { PORTAL_ACTOR } from '../../../domain/access/access-changes.ts';
import { mayUse } from '../../../domain/access/portal-role.ts';
import { languageNames, messageLanguages } from '../../../domain/vouchers/owner-messages.ts';
import { type Html, html } from '../../../rendering/html.ts';
import { sentence } from '../../language/language.ts';
import { postForm, selectField } from '../../layout/parts.ts';
import { type AccountPage, type AccountRequest, PORTAL_PATH } from '../../page.ts';
import { problems } from '../../problem-page.ts';

const options = messageLanguages.map((language) => [language, languageNames[language]] as const);

/** The choice of a partner, on the page of the account; nothing for others. */
export async function messageLanguageCard({
  services,
  session,
  formToken,
}: AccountRequest): Promise<Html | false> {
  const { company, role } = session;
  if (company.kind !== 'partner' || !mayUse(role, 'operate')) return false;
  const chosen = await messageLanguageOf(services.database, company.id);
  return html`<section class="card"><h2>Messages to owners</h2>
<p>Codes, confirmations, reminders and notices for the owners of your vouchers are in this language. It
holds for messages from now on.</p>
${postForm(
  { action: `${PORTAL_PATH}/account/message-language`, formToken },
  html`${selectField({ name: 'language', label: 'Language of messages', value: chosen, options })}
<button class="secondary">Change the language</button>`,
)}</section>`;
}

/** Changes the language of messages to the owners of the partner's vouchers. */
export const changeMessageLanguage: AccountPage = {
  method: 'POST',
  path: '/account/message-language',
  access: 'account',
  needs: 'operate',
  kind: 'partner',
  confirmation: 'none',
  async handle({ services, session, form, sourceAddress }) {
    const language = messageLanguages.find((one) => one === form.text('language'));
    if (language === undefined) return problems.invalid;
    await services.database.transaction().execute(async (transaction) => {
      const before = await setMessageLanguage(transaction, session.company.id, language);
      if (before === language) return;
      await addAuditEntry(transaction, {
        actor: PORTAL_ACTOR + session.email,
        action: 'set message-language',
        subjectKind: 'partner',
        subjectId: session.company.id,
        details: { messageLanguage: { from: before, to: language }, sourceAddress },
      });
    });
    return {
      kind: 'redirect',
      to: `${PORTAL_PATH}/account`,
      notice: sentence('Messages to owners are in {1} now.', languageNames[language]),
    };
  },
};
