import { addPersonEntry } from '../../db/access/calls.ts';
import { messageLanguageOf, setMessageLanguage } from '../../db/catalogue/companies.ts';
import { changeAccount, hasStatementsByEmail } from '../../db/people/accounts.ts';
import { mayUse } from '../../domain/access.ts';
import { languageNames, messageLanguages } from '../../domain/vouchers/messages.ts';
import type { CompanyKind } from '../../domain/vouchers/voucher.ts';
import { type Html, html, phrase } from '../../rendering/html.ts';
import { problems } from '../answers.ts';
import { language, languages, readLanguage, sentence } from '../language/language.ts';
import { timeZone } from '../language/time-zone.ts';
import { postForm, selectField } from '../layout/parts.ts';
import { type AccountRequest, type Form, PORTAL_PATH, portal, redirect } from '../page.ts';

/** The form of a choice on the page of the account, which it leads back to. */
const choiceForm = <Chosen>({
  read,
  save,
  notice,
  ...page
}: {
  readonly path: string;
  readonly needs: 'own' | 'operate';
  readonly kind?: CompanyKind;
  /** Undefined where it offers no such choice. */
  read(form: Form): Chosen | undefined;
  save(request: AccountRequest, chosen: Chosen): Promise<void>;
  notice(chosen: Chosen): string;
}) =>
  portal.form({
    ...page,
    confirmation: 'none',
    async handle(request) {
      const chosen = read(request.form);
      if (chosen === undefined) return problems.invalid;
      await save(request, chosen);
      return redirect(`${PORTAL_PATH}/account`, notice(chosen));
    },
  });

/** The choice of the language, on the page of the account. */
const languageCard = (request: AccountRequest): Html => html`<section class="card"><h2>Language</h2>
${postForm(
  request,
  `${PORTAL_PATH}/account/language`,
  html`${selectField({
    name: 'language',
    label: 'Language',
    value: language(),
    options: Object.entries(languages),
  })}
<button class="secondary">Change the language</button>`,
)}</section>`;

/** Changes the language of the person's pages. */
export const changeLanguageForm = choiceForm({
  path: '/account/language',
  needs: 'own',
  read: (form) => readLanguage(form.text('language')),
  save: ({ services, session }, chosen) =>
    changeAccount(services.database, session.accountId, { language: chosen }),
  notice: () => 'The portal is in this language now.',
});

const options = messageLanguages.map((language) => [language, languageNames[language]] as const);

/** The choice of a partner, on the page of the account; nothing for others. */
async function messageLanguageCard({
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
  { formToken },
  `${PORTAL_PATH}/account/message-language`,
  html`${selectField({ name: 'language', label: 'Language of messages', value: chosen, options })}
<button class="secondary">Change the language</button>`,
)}</section>`;
}

/** Changes the language of messages to the owners of the partner's vouchers. */
export const changeMessageLanguageForm = choiceForm({
  path: '/account/message-language',
  needs: 'operate',
  kind: 'partner',
  read: (form) => messageLanguages.find((one) => one === form.text('language')),
  save: ({ services, session, sourceAddress }, language) =>
    services.database.transaction().execute(async (transaction) => {
      const before = await setMessageLanguage(transaction, session.company.id, language);
      if (before === language) return;
      await addPersonEntry(transaction, session, 'set message-language', {
        messageLanguage: { from: before, to: language },
        sourceAddress,
      });
    }),
  notice: (language) => sentence('Messages to owners are in {1} now.', languageNames[language]),
});

/** UTC is known everywhere, and need not be listed. */
const zones = [...new Set([...Intl.supportedValuesOf('timeZone'), 'UTC'])];

/** The zones to choose from: also the present one, which may have another name in the list. */
const offeredZones = (): readonly string[] =>
  zones.includes(timeZone()) ? zones : [timeZone(), ...zones];

/** The choice of the time zone, on the page of the account. */
const timeZoneCard = (
  request: AccountRequest,
): Html => html`<section class="card"><h2>Time zone</h2>
<p>All times and days in the portal are in this zone.</p>
${postForm(
  request,
  `${PORTAL_PATH}/account/time-zone`,
  html`${selectField({
    name: 'time-zone',
    label: 'Time zone',
    value: timeZone(),
    options: offeredZones().map((zone) => [zone, zone.replaceAll('_', ' ')] as const),
  })}
<button class="secondary">Change the time zone</button>`,
)}</section>`;

/** Changes the zone of the person's pages. */
export const changeTimeZoneForm = choiceForm({
  path: '/account/time-zone',
  needs: 'own',
  read: (form) => offeredZones().find((zone) => zone === form.text('time-zone')),
  save: ({ services, session }, zone) =>
    changeAccount(services.database, session.accountId, { time_zone: zone }),
  notice: (zone) => sentence('Times are in {1} now.', zone.replaceAll('_', ' ')),
});

/** The choice of who may see statements, on the page of the account; nothing for others. */
async function statementByEmailCard({
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
  { formToken },
  `${PORTAL_PATH}/account/statement-by-email`,
  html`<input type="hidden" name="wanted" value="${isOn ? 'no' : 'yes'}">
<button class="secondary">${phrase(isOn ? 'Do not send it to me' : 'Send it to me')}</button>`,
)}</section>`;
}

/** Switches monthly statements by e-mail on or off for the person. */
export const changeStatementByEmailForm = portal.form({
  path: '/account/statement-by-email',
  needs: 'own',
  confirmation: 'none',
  async handle({ services, session, form }) {
    if (!mayUse(session.role, 'export')) return problems.notYourRole;
    const wanted = form.text('wanted');
    if (wanted !== 'yes' && wanted !== 'no') return problems.invalid;
    const isWanted = wanted === 'yes';
    await changeAccount(services.database, session.accountId, { statement_by_email: isWanted });
    return redirect(
      `${PORTAL_PATH}/account`,
      isWanted
        ? 'You get the monthly statement by e-mail now.'
        : 'You do not get the monthly statement by e-mail any more.',
    );
  },
});

/** The cards on the page of the account for people of companies. */
export const accountCards = async (
  request: AccountRequest,
): Promise<Html> => html`${languageCard(request)}
${timeZoneCard(request)}
${await messageLanguageCard(request)}
${await statementByEmailCard(request)}`;
