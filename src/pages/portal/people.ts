import { z } from 'zod';
import type { Database, DatabaseTransaction } from '../../db/connection.ts';
import {
  addPortalAccount,
  canonicalEmail,
  changeAccount,
  findPerson,
  findPortalAccount,
  hasOtherOwner,
  listPortalAccounts,
} from '../../db/people/accounts.ts';
import { setSecondFactorRule } from '../../db/people/second-factors.ts';
import { disableAccount, resetAccount } from '../../db/people/sign-ins.ts';
import { type PortalRole, portalRoleMeanings, portalRoles } from '../../domain/access.ts';
import type { Company } from '../../domain/vouchers/voucher.ts';
import { type Html, html, phrase } from '../../rendering/html.ts';
import { sentence } from '../language/language.ts';
import {
  asSent,
  field,
  passwordPage,
  postForm,
  table,
  textColumn,
  time,
  type WrongFields,
} from '../layout/parts.ts';
import {
  type AccountRequest,
  idOf,
  type PageAnswer,
  PORTAL_PATH,
  portal,
  redirect,
} from '../page.ts';
import { changePages, ownCompany } from '../session/changes.ts';
import { makeGivenPassword } from '../session/passwords.ts';
import { csvFile } from './lists.ts';

const PEOPLE_PATH = `${PORTAL_PATH}/people`;

/** Who may sign in for the company, and what each may do. */
export const showPeople = portal.page({
  path: '/people',
  needs: 'people',
  handle: peoplePage,
});

async function peopleOf({ services, session }: AccountRequest) {
  const accounts = await listPortalAccounts(services.database, session.company);
  return accounts.filter(({ disabledAt }) => disabledAt === null);
}

/** The people as a file. */
export const downloadPeople = portal.page({
  path: '/people/download',
  needs: 'people',
  handle: async (request) =>
    csvFile('people', await peopleOf(request), {
      'E-mail address': 'email',
      Role: 'role',
      'Second factor': ({ hasSecondFactor }) => (hasSecondFactor ? 'On' : 'Off'),
      'Last signed in': 'lastSignedInAt',
    }),
});

/** The page with the problem of a sent form. */
async function peoplePage(request: AccountRequest, wrong?: WrongFields): Promise<PageAnswer> {
  const people = await peopleOf(request);
  return {
    kind: 'page',
    title: 'People',
    status: wrong && 422,
    content: html`<h1>People</h1>
<p>Everybody has an account of their own: what somebody did is in the activity under their address.</p>
<section class="card"><h2>Who may sign in</h2>
${table('People of the company', people, [
  textColumn('E-mail address', ({ email }) => html`<strong>${email}</strong>`),
  textColumn('Role', ({ role }) => phrase(role)),
  textColumn('Second factor', ({ hasSecondFactor }) => phrase(hasSecondFactor ? 'On' : 'Off')),
  textColumn('Last signed in', ({ lastSignedInAt }) =>
    lastSignedInAt ? time(lastSignedInAt) : phrase('Never'),
  ),
  textColumn(
    'Change',
    ({ id, email }) => html`<span class="actions">
<a href="${PEOPLE_PATH}/${id}/role">Role<span class="visually-hidden"> of ${email}</span></a>
<a href="${PEOPLE_PATH}/${id}/remove">Remove<span class="visually-hidden"> ${email}</span></a></span>`,
  ),
])}
<p><a href="${PEOPLE_PATH}/download">Download as CSV</a></p></section>
<section class="card"><h2>Add a person</h2>
${postForm(
  request,
  PEOPLE_PATH,
  html`${field({ ...asSent(request, wrong)('email'), label: 'E-mail address', type: 'email' })}
${roleChoices(readRole(request) ?? 'viewer')}
<button>Add the person</button>`,
)}
</section>
${secondFactorRuleCard(request)}`,
  };
}

/** The roles to choose from. */
const roleChoices = (chosen: PortalRole): Html => html`<fieldset><legend>Role</legend>
${portalRoles.map(
  (role) =>
    html`<label class="choice"><input type="radio" name="role" value="${role}"${
      role === chosen && html` checked`
    }> <span><strong>${phrase(role)}</strong>: ${phrase(portalRoleMeanings[role])}</span></label>`,
)}</fieldset>`;

/** The role of a sent form; undefined where it is none. */
const readRole = ({ form }: AccountRequest): PortalRole | undefined =>
  portalRoles.find((role) => role === form.text('role'));

const MAXIMUM_LENGTH = 200;
const isEmail = (text: string): boolean =>
  text.length <= MAXIMUM_LENGTH && z.email().safeParse(text).success;

/** Adds a person with a password for the first sign-in, which is shown once. */
export const addPersonForm = changePages(portal, {
  path: '/people',
  needs: 'people',
  find: ownCompany,
  async read(request) {
    const role = readRole(request);
    if (role === undefined) return undefined;
    const email = canonicalEmail(request.form.text('email')).slice(0, MAXIMUM_LENGTH + 1);
    if (!isEmail(email)) return { wrong: { email: 'Enter an e-mail address.' } };
    return { value: { email, role, ...(await makeGivenPassword(request)) } };
  },
  confirmed(_company, request) {
    const role = readRole(request);
    const email = request.form.text('email').slice(0, MAXIMUM_LENGTH);
    return role && html`You are about to let ${email} sign in as ${phrase(role)}.`;
  },
  action: 'invite person',
  again: peoplePage,
  async work(transaction, { session }, { value: { email, role, given } }) {
    const person = { email, role, company: session.company, password: given };
    const accountId = await addAccount(transaction, person);
    return accountId === undefined
      ? { wrong: { email: 'This address already has an account: use another one.' } }
      : { details: { accountId, email, role } };
  },
  done: ({ value: { email, password } }, request) =>
    passwordPage(request, {
      title: 'New person',
      heading: 'A new person',
      email,
      label: 'Password for the first sign-in',
      password,
      back: PEOPLE_PATH,
    }),
});

/** A new account, or that of a person who was removed; undefined where the address is taken. */
async function addAccount(
  transaction: DatabaseTransaction,
  person: Parameters<typeof addPortalAccount>[1] & {
    readonly company: Company;
    readonly role: PortalRole;
  },
): Promise<number | undefined> {
  const added = await addPortalAccount(transaction, person);
  if (added !== undefined) return added;
  const { email, company, role, password } = person;
  const found = await findPortalAccount(transaction, email);
  const isFormer =
    found?.disabledAt && found.company.kind === company.kind && found.company.id === company.id;
  if (!isFormer) return undefined;
  await changeAccount(transaction, found.id, { role });
  await resetAccount(transaction, found.id, password);
  return found.id;
}

/** Why an owner cannot be removed or become somebody else. */
const LAST_OWNER = {
  wrong: { form: 'This is the only owner: make somebody else an owner first.' },
};

/** The person of the path; undefined where the company has none. */
const personOf = (request: AccountRequest, database: Database) =>
  findPerson(database, idOf(request), request.session.company);

/** Asks what a person may do, and changes it; their next page goes by it. */
export const changeRolePages = changePages(portal, {
  path: '/people/:id/role',
  needs: 'people',
  find: personOf,
  question: ({ email, role }) => ({
    title: 'Role of a person',
    heading: html`Role of ${email}`,
    fields: roleChoices(role),
    button: 'Save',
    back: PEOPLE_PATH,
  }),
  read(request) {
    const value = readRole(request);
    return value && { value };
  },
  confirmed({ email }, request) {
    const role = readRole(request);
    return role && html`You are about to change the role of ${email} to ${phrase(role)}.`;
  },
  action: 'set portal-role',
  async work(transaction, { session: { company } }, { subject, value: after }) {
    const { id: accountId, email, role: before } = subject;
    if (before === 'owner' && after !== 'owner')
      if (!(await hasOtherOwner(transaction, accountId, company))) return LAST_OWNER;
    await changeAccount(transaction, accountId, { role: after });
    return { details: { accountId, email, before, after } };
  },
  done({ subject: { email }, value: after }, request) {
    // Without the role the page of people is not theirs any more.
    const isGone = idOf(request) === request.session.accountId && after !== 'owner';
    return redirect(
      isGone ? `${PORTAL_PATH}/account` : PEOPLE_PATH,
      sentence('The role of {1} is {2}.', email, sentence(after)),
    );
  },
});

/** Removes a person and ends all their sessions; the last owner stays. */
export const removePersonPages = changePages(portal, {
  path: '/people/:id/remove',
  needs: 'people',
  find: personOf,
  question: ({ email }) => ({
    title: sentence('Remove {1}?', email),
    text: html`<p>The person can no longer sign in, and all sessions end at once. Keys that they made go on working: revoke
those that they may have copied.</p>`,
    button: 'Remove the person',
    isDanger: true,
    back: PEOPLE_PATH,
  }),
  confirmed: ({ email }) => html`You are about to remove ${email}.`,
  action: 'remove person',
  async work(transaction, { session: { company } }, { subject }) {
    const { id: accountId, email, role } = subject;
    if (!(await hasOtherOwner(transaction, accountId, company))) return LAST_OWNER;
    if (!(await disableAccount(transaction, accountId))) return undefined;
    return { details: { accountId, email, role } };
  },
  done: ({ subject: { email } }) => redirect(PEOPLE_PATH, sentence('{1} is removed.', email)),
});

/** The company's rule, on the page of people. */
const secondFactorRuleCard = (request: AccountRequest): Html => {
  const { needsSecondFactor } = request.session;
  return html`<section class="card"><h2>Second factor</h2>
<p>${
    needsSecondFactor
      ? phrase(
          'Everybody needs a second factor to sign in. Who has none sets it up before anything else.',
        )
      : phrase('Each person decides whether to sign in with a second factor.')
  }</p>
${postForm(
  request,
  `${PEOPLE_PATH}/second-factors`,
  html`<input type="hidden" name="required" value="${needsSecondFactor ? 'no' : 'yes'}">
<button class="secondary">${phrase(needsSecondFactor ? 'Leave it to each person' : 'Require it of everybody')}</button>`,
)}</section>`;
};

/** Requires a second factor of all people of the company, or leaves it to each. */
export const requireSecondFactorsForm = changePages(portal, {
  path: '/people/second-factors',
  needs: 'people',
  find: ownCompany,
  read: ({ form }) => ({ value: form.text('required') === 'yes' }),
  confirmed: (_company, { form }) =>
    form.text('required') === 'yes'
      ? html`You are about to require a second factor of everybody.`
      : html`You are about to leave the second factor to each person.`,
  action: (isRequired) => (isRequired ? 'require second-factors' : 'release second-factors'),
  work: async (transaction, { session: { company } }, { value: isRequired }) => ({
    details: (await setSecondFactorRule(transaction, company, isRequired)) ? {} : undefined,
  }),
  done: ({ value: isRequired }) =>
    redirect(
      PEOPLE_PATH,
      isRequired
        ? 'Everybody needs a second factor now.'
        : 'Each person decides about the second factor now.',
    ),
});
