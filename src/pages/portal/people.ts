import { z } from 'zod';
import { readableSecret } from '../../crypto/secret-box.ts';
import type { DatabaseTransaction } from '../../db/connection.ts';
import { forgetSignIns } from '../../db/limits/attempts.ts';
import {
  addPortalAccount,
  canonicalEmail,
  findPerson,
  findPortalAccount,
  hasOtherOwner,
  listPortalAccounts,
  setPassword,
  setPortalAccountDisabled,
  setPortalRole,
} from '../../db/people/accounts.ts';
import { endPortalSessions } from '../../db/people/sign-ins.ts';
import { type PortalRole, portalRoleMeanings, portalRoles } from '../../domain/access.ts';
import { csv } from '../../rendering/csv.ts';
import { type Html, html, phrase } from '../../rendering/html.ts';
import { sentence } from '../language/language.ts';
import { confirmation, copyField, field, message, postForm, table, time } from '../layout/parts.ts';
import {
  type AccountPage,
  type AccountRequest,
  idOf,
  type PageAnswer,
  PORTAL_PATH,
} from '../page.ts';
import { changeAccess } from '../session/confirmation.ts';
import { fileTime } from '../session/preferences.ts';
import { oneTimePasswordRuleCard } from './account/one-time-password.ts';
import { problems } from './problem-page.ts';

const PEOPLE_PATH = `${PORTAL_PATH}/people`;

/** An invitation as it was sent, with its problem. */
interface WrongPerson {
  readonly email: string;
  readonly role: PortalRole | undefined;
  readonly problem: string;
}

/** Who may sign in for the company, and what each may do. */
export const showPeople: AccountPage = {
  method: 'GET',
  path: '/people',
  access: 'account',
  needs: 'people',
  handle: (request) => peoplePage(request),
};

async function peopleOf({ services, session }: AccountRequest) {
  const accounts = await listPortalAccounts(services.database, session.company);
  return accounts.filter(({ disabledAt }) => disabledAt === null);
}

/** The people as a file. */
export const downloadPeople: AccountPage = {
  method: 'GET',
  path: '/people/download',
  access: 'account',
  needs: 'people',
  async handle(request): Promise<PageAnswer> {
    const people = await peopleOf(request);
    return {
      kind: 'file',
      name: 'people.csv',
      type: 'text/csv',
      content: csv([
        ['E-mail address', 'Role', 'One-time password', 'Last signed in'],
        ...people.map(({ email, role, hasOneTimePassword, lastSignedInAt }) => [
          ...[email, role, hasOneTimePassword ? 'On' : 'Off'],
          lastSignedInAt && fileTime(lastSignedInAt),
        ]),
      ]),
    };
  },
};

/** The page with the problem of a sent form. */
async function peoplePage(request: AccountRequest, wrong?: WrongPerson): Promise<PageAnswer> {
  const { formToken } = request;
  const people = await peopleOf(request);
  return {
    kind: 'page',
    title: 'People',
    ...(wrong ? { status: 422 } : {}),
    content: html`<h1>People</h1>
<p>Everybody has an account of their own: what somebody did is in the activity under their address.</p>
<section class="card"><h2>Who may sign in</h2>
${table('People of the company', people, [
  { title: 'E-mail address', value: ({ email }) => html`<strong>${email}</strong>` },
  { title: 'Role', value: ({ role }) => phrase(role) },
  {
    title: 'One-time password',
    value: ({ hasOneTimePassword }) => phrase(hasOneTimePassword ? 'On' : 'Off'),
  },
  {
    title: 'Last signed in',
    value: ({ lastSignedInAt }) => (lastSignedInAt ? time(lastSignedInAt) : phrase('Never')),
  },
  {
    title: 'Change',
    value: ({ id, email }) => html`<span class="actions">
<a href="${PEOPLE_PATH}/${id}/role">Role<span class="visually-hidden"> of ${email}</span></a>
<a href="${PEOPLE_PATH}/${id}/remove">Remove<span class="visually-hidden"> ${email}</span></a></span>`,
  },
])}
<p><a href="${PEOPLE_PATH}/download">Download as CSV</a></p></section>
<section class="card"><h2>Add a person</h2>
${postForm(
  { action: PEOPLE_PATH, formToken },
  html`${field({
    name: 'email',
    label: 'E-mail address',
    type: 'email',
    value: wrong?.email ?? '',
    error: wrong?.problem,
  })}
${roleChoices(wrong?.role ?? 'viewer')}
<button>Add the person</button>`,
)}
</section>
${oneTimePasswordRuleCard(request)}`,
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
export const addPerson: AccountPage = {
  method: 'POST',
  path: '/people',
  access: 'account',
  needs: 'people',
  confirmation(request) {
    const role = readRole(request);
    const email = request.form.text('email').slice(0, MAXIMUM_LENGTH);
    return role && html`You are about to let ${email} sign in as ${phrase(role)}.`;
  },
  async handle(request) {
    const { passwords } = request;
    const role = readRole(request);
    if (role === undefined) return problems.invalid;
    const email = canonicalEmail(request.form.text('email')).slice(0, MAXIMUM_LENGTH + 1);
    if (!isEmail(email))
      return peoplePage(request, { email, role, problem: 'Enter an e-mail address.' });
    const password = readableSecret();
    const hash = await passwords.make(password);
    const accountId = await changeAccess(request, 'invite person', async (transaction) => {
      const id = await addAccount(transaction, request, { email, role, hash });
      return id === undefined ? undefined : { result: id, details: { accountId: id, email, role } };
    });
    if (accountId === undefined)
      return peoplePage(request, {
        email,
        role,
        problem: 'This address already has an account: use another one.',
      });
    const { portalOneTimePasswordSeconds } = request.services.settings.portal;
    const hours = Math.max(1, Math.round(portalOneTimePasswordSeconds / 3_600));
    return {
      kind: 'page',
      title: 'New person',
      content: html`<h1>A new person</h1>
<section class="card"><h2>${email}</h2>
${message(
  'warning',
  html`<strong>Copy the password now: it is shown only once.</strong> Hand it over safely. It expires in
${hours} hours, and the person chooses another one at the first sign-in.`,
)}
${copyField({ name: 'password', label: 'Password for the first sign-in', value: password })}
<p class="actions"><a class="button secondary" href="${PEOPLE_PATH}">I have copied it</a></p>
</section>`,
    };
  },
};

/** A new account, or that of a person who was removed; undefined where the address is taken. */
async function addAccount(
  transaction: DatabaseTransaction,
  { services, session }: AccountRequest,
  {
    email,
    role,
    hash,
  }: { readonly email: string; readonly role: PortalRole; readonly hash: string },
): Promise<number | undefined> {
  const { company } = session;
  const lifetimeSeconds = services.settings.portal.portalOneTimePasswordSeconds;
  const added = await addPortalAccount(transaction, {
    email,
    company,
    role,
    passwordHash: hash,
    mustChangePassword: true,
    passwordLifetimeSeconds: lifetimeSeconds,
  });
  if (added !== undefined) return added;
  const found = await findPortalAccount(transaction, email);
  const isFormer =
    found?.disabledAt && found.company.kind === company.kind && found.company.id === company.id;
  if (!isFormer) return undefined;
  await setPassword(transaction, found.id, { hash, mustChange: true, lifetimeSeconds });
  await setPortalRole(transaction, found.id, role);
  await setPortalAccountDisabled(transaction, found.id, false);
  await forgetSignIns(transaction, found.id);
  return found.id;
}

/** Why an owner cannot be removed or become somebody else. */
const LAST_OWNER = 'This is the only owner: make somebody else an owner first.';

/** The person of the path; undefined where the company has none. */
const personOf = (request: AccountRequest) =>
  findPerson(request.services.database, idOf(request), request.session.company);

/** Asks what a person may do. */
export const askChangeRole: AccountPage = {
  method: 'GET',
  path: '/people/:id/role',
  access: 'account',
  needs: 'people',
  handle: (request) => rolePage(request),
};

async function rolePage(request: AccountRequest, problem?: string): Promise<PageAnswer> {
  const { formToken } = request;
  const person = await personOf(request);
  if (person === undefined) return problems.notFound;
  return {
    kind: 'page',
    title: 'Role of a person',
    ...(problem === undefined ? {} : { status: 422 }),
    content: html`<h1>Role of ${person.email}</h1>
<section class="card">${problem && message('danger', problem)}
${postForm(
  { action: `${PEOPLE_PATH}/${person.id}/role`, formToken },
  html`${roleChoices(person.role)}
<p class="actions"><button>Save</button><a href="${PEOPLE_PATH}">Back</a></p>`,
)}</section>`,
  };
}

/** Changes what a person may do; their next page goes by it. */
export const changeRole: AccountPage = {
  method: 'POST',
  path: '/people/:id/role',
  access: 'account',
  needs: 'people',
  confirmation: async (request) => {
    const person = await personOf(request);
    const role = readRole(request);
    return (
      person &&
      role &&
      html`You are about to change the role of ${person.email} to ${phrase(role)}.`
    );
  },
  async handle(request) {
    const after = readRole(request);
    if (after === undefined) return problems.invalid;
    const { company } = request.session;
    const accountId = idOf(request);
    const changed = await changeAccess(request, 'set portal-role', async (transaction) => {
      const person = await findPerson(transaction, accountId, company);
      if (person === undefined) return undefined;
      if (person.role === 'owner' && after !== 'owner')
        if (!(await hasOtherOwner(transaction, accountId, company))) return undefined;
      await setPortalRole(transaction, accountId, after);
      const { email, role: before } = person;
      return { result: person, details: { accountId, email, before, after } };
    });
    // A person who is not there gets 404.
    if (changed === undefined) return rolePage(request, LAST_OWNER);
    // Without the role the page of people is not theirs any more.
    const isGone = accountId === request.session.accountId && after !== 'owner';
    return {
      kind: 'redirect',
      to: isGone ? `${PORTAL_PATH}/account` : PEOPLE_PATH,
      notice: sentence('The role of {1} is {2}.', changed.email, sentence(after)),
    };
  },
};

/** Asks for confirmation before a person is removed. */
export const askRemovePerson: AccountPage = {
  method: 'GET',
  path: '/people/:id/remove',
  access: 'account',
  needs: 'people',
  handle: (request) => questionPage(request),
};

async function questionPage(request: AccountRequest, problem?: string): Promise<PageAnswer> {
  const { formToken } = request;
  const person = await personOf(request);
  if (person === undefined) return problems.notFound;
  return confirmation({
    title: sentence('Remove {1}?', person.email),
    text: html`${problem && message('danger', problem)}
<p>The person can no longer sign in, and all sessions end at once. Keys that they made go on working: revoke
those that they may have copied.</p>`,
    action: `${PEOPLE_PATH}/${person.id}/remove`,
    formToken,
    button: 'Remove the person',
    back: PEOPLE_PATH,
    ...(problem === undefined ? {} : { status: 422 }),
  });
}

/** Removes a person and ends all their sessions; the last owner stays. */
export const removePerson: AccountPage = {
  method: 'POST',
  path: '/people/:id/remove',
  access: 'account',
  needs: 'people',
  confirmation: async (request) => {
    const person = await personOf(request);
    return person && html`You are about to remove ${person.email}.`;
  },
  async handle(request) {
    const { company } = request.session;
    const accountId = idOf(request);
    const removed = await changeAccess(request, 'remove person', async (transaction) => {
      const person = await findPerson(transaction, accountId, company);
      if (person === undefined || !(await hasOtherOwner(transaction, accountId, company)))
        return undefined;
      await setPortalAccountDisabled(transaction, accountId, true);
      await endPortalSessions(transaction, accountId);
      const { email, role } = person;
      return { result: person, details: { accountId, email, role } };
    });
    // A person who is not there gets 404.
    if (removed === undefined) return questionPage(request, LAST_OWNER);
    return {
      kind: 'redirect',
      to: PEOPLE_PATH,
      notice: sentence('{1} is removed.', removed.email),
    };
  },
};
