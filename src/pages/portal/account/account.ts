import { addAuditEntry } from '../../../db/access/calls.ts';
import { messageLanguageOf, setMessageLanguage } from '../../../db/catalogue/companies.ts';
import { replacePassword, setLanguage, setTimeZone } from '../../../db/people/accounts.ts';
import { endPortalSessions } from '../../../db/people/sign-ins.ts';
import { actorOfPerson, mayUse, PORTAL_ACTOR } from '../../../domain/access.ts';
import { languageNames, messageLanguages } from '../../../domain/vouchers/messages.ts';
import { type Html, html, phrase } from '../../../rendering/html.ts';
import { language, languages, readLanguage, sentence } from '../../language/language.ts';
import { field, message, postForm, selectField } from '../../layout/parts.ts';
import {
  type AccountPage,
  type AccountRequest,
  isOfCompany,
  type PageAnswer,
  type PersonPage,
  type PersonRequest,
  PORTAL_PATH,
} from '../../page.ts';
import { passwordHint, passwordProblem } from '../../session/passwords.ts';
import { timeZone } from '../../session/preferences.ts';
import { accountPath, oneTimePasswordPath } from '../../session/session.ts';
import { checkPresentPassword, NOT_PRESENT } from '../../session/sign-in.ts';
import { problems } from '../problem-page.ts';
import { statementByEmailCard } from '../statements.ts';

/** The choice of the language, on the page of the account. */
const languageCard = ({
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

const zones = Intl.supportedValuesOf('timeZone');

/** The choice of the time zone, on the page of the account. */
const timeZoneCard = ({ formToken }: AccountRequest): Html => {
  const chosen = timeZone();
  const offered = zones.includes(chosen) ? zones : [chosen, ...zones];
  return html`<section class="card"><h2>Time zone</h2>
<p>All times and days in the portal are in this zone.</p>
${postForm(
  { action: `${PORTAL_PATH}/account/time-zone`, formToken },
  html`${selectField({
    name: 'time-zone',
    label: 'Time zone',
    value: chosen,
    options: offered.map((zone) => [zone, zone.replaceAll('_', ' ')] as const),
  })}
<button class="secondary">Change the time zone</button>`,
)}</section>`;
};

/** Changes the zone of the person's pages. */
export const changeTimeZone: AccountPage = {
  method: 'POST',
  path: '/account/time-zone',
  access: 'account',
  needs: 'own',
  confirmation: 'none',
  async handle({ services, session, form }) {
    const zone = form.text('time-zone');
    if (!zones.includes(zone)) return problems.invalid;
    await setTimeZone(services.database, session.accountId, zone);
    return {
      kind: 'redirect',
      to: `${PORTAL_PATH}/account`,
      notice: sentence('Times are in {1} now.', zone.replaceAll('_', ' ')),
    };
  },
};

/** The person's own account: password and sessions. */
export const showAccount: PersonPage = {
  method: 'GET',
  path: '/account',
  access: 'account',
  needs: 'own',
  always: true,
  handle: (request) => accountPage(request),
};

/**
 * Changes the password, and ends every other session, so that a stolen password becomes useless.
 */
export const changePassword: PersonPage = {
  method: 'POST',
  path: '/account/password',
  access: 'account',
  needs: 'own',
  confirmation: 'each-time',
  always: true,
  async handle(request) {
    const { services, passwords, session } = request;
    const present = request.form.text('password');
    const chosen = request.form.text('new-password');
    const checked = await checkPresentPassword(request);
    if (!checked.isRight) {
      const { problem, waitSeconds } = checked;
      return accountPage(request, {
        present: problem,
        ...(waitSeconds === undefined ? {} : { status: 429, waitSeconds }),
      });
    }
    const problem = await passwordProblem(chosen, session);
    if (problem !== undefined) return accountPage(request, { chosen: problem });
    if (chosen === present)
      return accountPage(request, {
        chosen: 'Choose a password that differs from the current one.',
      });
    const newHash = await passwords.make(chosen);
    const ids = { accountId: session.accountId, sessionId: session.id };
    const isChanged = await services.database.transaction().execute(async (transaction) => {
      const hashes = { checkedHash: checked.hash, newHash };
      if (!(await replacePassword(transaction, { ...ids, ...hashes }))) return false;
      await endPortalSessions(transaction, session.accountId, session.id);
      await addAuditEntry(transaction, auditEntry(request, 'change portal-password'));
      return true;
    });
    if (!isChanged) return accountPage(request, { present: NOT_PRESENT });
    return {
      kind: 'redirect',
      to: accountPath(request.site),
      notice: 'Your password is changed. Sessions on other devices have ended.',
    };
  },
};

/** Ends every session of the account, including this one. */
export const signOutEverywhere: PersonPage = {
  method: 'POST',
  path: '/account/sign-out-everywhere',
  access: 'account',
  needs: 'own',
  confirmation: 'none',
  always: true,
  async handle(request) {
    const { services, session, cookies, site } = request;
    await services.database.transaction().execute(async (transaction) => {
      await endPortalSessions(transaction, session.accountId);
      await addAuditEntry(transaction, auditEntry(request, 'sign out everywhere'));
    });
    return {
      kind: 'redirect',
      to: `${site.basePath}/sign-in?out=yes`,
      setCookies: [cookies.session.clear()],
    };
  },
};

const auditEntry = ({ session, sourceAddress }: PersonRequest, action: string) => ({
  actor: actorOfPerson(session),
  action,
  subjectKind: session.company.kind,
  subjectId: session.company.id,
  details: { sourceAddress },
});

const cardsOfCompany = async (
  request: AccountRequest,
): Promise<Html> => html`${languageCard(request)}
${timeZoneCard(request)}
${await messageLanguageCard(request)}
${await statementByEmailCard(request)}`;

async function accountPage(
  request: PersonRequest,
  wrong: {
    readonly present?: string;
    readonly chosen?: string;
    readonly status?: number;
    readonly waitSeconds?: number;
  } = {},
): Promise<PageAnswer> {
  const { session, site, formToken } = request;
  const path = accountPath(site);
  const isWrong = wrong.present !== undefined || wrong.chosen !== undefined;
  const passwordForm = postForm(
    { action: `${path}/password`, formToken },
    html`${field({
      name: 'password',
      label: 'Current password',
      type: 'password',
      autocomplete: 'current-password',
      error: wrong.present,
    })}
${field({
  name: 'new-password',
  label: 'New password',
  type: 'password',
  autocomplete: 'new-password',
  hint: passwordHint,
  error: wrong.chosen,
})}
<button>Change the password</button>`,
  );
  return {
    kind: 'page',
    title: 'Account',
    ...(isWrong ? { status: wrong.status ?? 422 } : {}),
    ...(wrong.waitSeconds === undefined ? {} : { retryAfterSeconds: wrong.waitSeconds }),
    content: html`<h1>Account</h1>
<p class="quiet">${session.email}</p>
${
  session.mustChangePassword &&
  message('warning', 'Choose your own password first: somebody else has seen this one.')
}
<section class="card"><h2>Password</h2>${passwordForm}</section>
${
  !session.mustChangePassword &&
  html`<section class="card"><h2>One-time passwords</h2>
<p>${
    session.hasOneTimePassword
      ? phrase('They are on: signing in takes a code of your app.')
      : phrase('They are off. With them a stolen password alone opens nothing.')
  }</p>
<p class="actions"><a class="button secondary" href="${oneTimePasswordPath(site)}">${phrase(
    session.hasOneTimePassword ? 'Recovery codes, or switch off' : 'Set them up',
  )}</a></p></section>
${isOfCompany(request) && (await cardsOfCompany(request))}`
}
<section class="card"><h2>Sessions</h2>
<p>Ends your sessions on every device, including this one. Then sign in again.</p>
${postForm(
  { action: `${path}/sign-out-everywhere`, formToken },
  html`<button class="secondary">Sign out everywhere</button>`,
)}
</section>`,
  };
}
