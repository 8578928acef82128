import { listPortalAccounts } from '../../../db/portal/portal-accounts.ts';
import {
  type PortalRole,
  portalRoleMeanings,
  portalRoles,
} from '../../../domain/access/portal-role.ts';
import { csv } from '../../../rendering/csv.ts';
import { type Html, html, phrase } from '../../../rendering/html.ts';
import { field, postForm, table, time } from '../../layout/parts.ts';
import { type AccountPage, type AccountRequest, type PageAnswer, PORTAL_PATH } from '../../page.ts';
import { fileTime } from '../../time-zone.ts';
import { oneTimePasswordRuleCard } from '../one-time-password/require-one-time-passwords.ts';

export const PEOPLE_PATH = `${PORTAL_PATH}/people`;

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
export async function peoplePage(
  request: AccountRequest,
  wrong?: WrongPerson,
): Promise<PageAnswer> {
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
export const roleChoices = (chosen: PortalRole): Html => html`<fieldset><legend>Role</legend>
${portalRoles.map(
  (role) =>
    html`<label class="choice"><input type="radio" name="role" value="${role}"${
      role === chosen && html` checked`
    }> <span><strong>${phrase(role)}</strong>: ${phrase(portalRoleMeanings[role])}</span></label>`,
)}</fieldset>`;

/** The role of a sent form; undefined where it is none. */
export const readRole = ({ form }: AccountRequest): PortalRole | undefined =>
  portalRoles.find((role) => role === form.text('role'));
