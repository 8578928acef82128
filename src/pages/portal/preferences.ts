import { changeRow, messageLanguageOf } from '../../db/catalogue/companies.ts';
import type { DatabaseTransaction } from '../../db/connection.ts';
import { changeAccount, hasStatementsByEmail } from '../../db/people/accounts.ts';
import type { PortalSession } from '../../db/people/sign-ins.ts';
import { type AccessChangeName, mayUse } from '../../domain/access.ts';
import { languageNames, messageLanguages } from '../../domain/vouchers/messages.ts';
import type { CompanyKind } from '../../domain/vouchers/voucher.ts';
import { type Html, html, phrase } from '../../rendering/html.ts';
import { problems } from '../answers.ts';
import { type Language, language, languages, sentence } from '../language/language.ts';
import { timeZone } from '../language/time-zone.ts';
import { postForm, selectField } from '../layout/parts.ts';
import { type AccountRequest, PORTAL_PATH, portal, redirect } from '../page.ts';
import { changePages, ownCompany } from '../session/changes.ts';

/** A choice of one of several values on the page of the account: its card there, and its form, which leads back. */
const choice = <Chosen extends string>({
  name,
  title,
  text,
  label = title,
  button,
  options,
  present,
  save,
  notice,
  ...page
}: {
  readonly path: string;
  readonly needs: 'own' | 'operate';
  readonly kind?: CompanyKind;
  /** Of its field. */
  readonly name: string;
  readonly title: string;
  readonly text?: Html;
  readonly label?: string;
  readonly button: string;
  options(): readonly (readonly [value: Chosen, label: string])[];
  /** Undefined where the person has no such choice. */
  present(request: AccountRequest): Chosen | Promise<Chosen | undefined>;
  /** Answers the details for the audit log, of a choice for the company. */
  save(
    transaction: DatabaseTransaction,
    session: PortalSession,
    chosen: Chosen,
  ): Promise<Readonly<Record<string, unknown>> | undefined>;
  readonly action?: AccessChangeName;
  notice(chosen: Chosen): string;
}) => ({
  async card(request: AccountRequest): Promise<Html | undefined> {
    const value = await present(request);
    return value === undefined
      ? undefined
      : html`<section class="card"><h2>${phrase(title)}</h2>
${text}
${postForm(
  request,
  PORTAL_PATH + page.path,
  html`${selectField({ name, label, value, options: options() })}
<button class="secondary">${phrase(button)}</button>`,
)}</section>`;
  },
  pages: changePages(portal, {
    ...page,
    find: ownCompany,
    read({ form }) {
      const [value] = options().find(([one]) => one === form.text(name)) ?? [];
      return value && { value };
    },
    work: async (transaction, { session }, { value }) => ({
      details: await save(transaction, session, value),
    }),
    done: ({ value }) => redirect(`${PORTAL_PATH}/account`, notice(value)),
  }),
});

/** The language of the person's pages. */
export const languageChoice = choice({
  path: '/account/language',
  needs: 'own',
  name: 'language',
  title: 'Language',
  button: 'Change the language',
  options: () => Object.entries(languages) as [Language, string][],
  present: () => language(),
  async save(transaction, { accountId }, chosen) {
    await changeAccount(transaction, accountId, { language: chosen });
    return undefined;
  },
  notice: () => 'The portal is in this language now.',
});

/** The language of messages to the owners of the partner's vouchers; nothing for others. */
export const messageLanguageChoice = choice({
  path: '/account/message-language',
  needs: 'operate',
  kind: 'partner',
  name: 'language',
  title: 'Messages to owners',
  text: html`<p>Codes, confirmations, reminders and notices for the owners of your vouchers are in this language. It
holds for messages from now on.</p>`,
  label: 'Language of messages',
  button: 'Change the language',
  options: () => messageLanguages.map((one) => [one, languageNames[one]]),
  present: async ({ services, session: { company, role } }) =>
    company.kind === 'partner' && mayUse(role, 'operate')
      ? messageLanguageOf(services.database, company.id)
      : undefined,
  action: 'set message-language',
  async save(transaction, { company }, chosen) {
    const values = { message_language: chosen };
    const changes = await changeRow(transaction, 'partners', company.id, values);
    return changes?.message_language && { changes: { messageLanguage: changes.message_language } };
  },
  notice: (chosen) => sentence('Messages to owners are in {1} now.', languageNames[chosen]),
});

/** UTC is known everywhere, and need not be listed. */
const zones = [...new Set([...Intl.supportedValuesOf('timeZone'), 'UTC'])];

const zoneName = (zone: string): string => zone.replaceAll('_', ' ');

/** The zone of the person's pages. The present one is offered, too, which may have another name in the list. */
export const timeZoneChoice = choice({
  path: '/account/time-zone',
  needs: 'own',
  name: 'time-zone',
  title: 'Time zone',
  text: html`<p>All times and days in the portal are in this zone.</p>`,
  button: 'Change the time zone',
  options: () =>
    (zones.includes(timeZone()) ? zones : [timeZone(), ...zones]).map(
      (zone) => [zone, zoneName(zone)] as const,
    ),
  present: () => timeZone(),
  async save(transaction, { accountId }, zone) {
    await changeAccount(transaction, accountId, { time_zone: zone });
    return undefined;
  },
  notice: (zone) => sentence('Times are in {1} now.', zoneName(zone)),
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
export const changeStatementByEmailForm = changePages(portal, {
  path: '/account/statement-by-email',
  needs: 'own',
  find: async ({ session }) => mayUse(session.role, 'export') || undefined,
  nothing: () => problems.notYourRole,
  read({ form }) {
    const wanted = form.text('wanted');
    return wanted === 'yes' || wanted === 'no' ? { value: wanted === 'yes' } : undefined;
  },
  async work(transaction, { session }, { value: isWanted }) {
    await changeAccount(transaction, session.accountId, { statement_by_email: isWanted });
    return {};
  },
  done: ({ value: isWanted }) =>
    redirect(
      `${PORTAL_PATH}/account`,
      isWanted
        ? 'You get the monthly statement by e-mail now.'
        : 'You do not get the monthly statement by e-mail any more.',
    ),
});

/** The cards on the page of the account for people of companies. */
export const accountCards = async (
  request: AccountRequest,
): Promise<Html> => html`${await languageChoice.card(request)}
${await timeZoneChoice.card(request)}
${await messageLanguageChoice.card(request)}
${await statementByEmailCard(request)}`;
