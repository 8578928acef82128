import { findPerson, hasOtherOwner, setPortalRole } from '../../../db/portal/people.ts';
import { html, phrase } from '../../../rendering/html.ts';
import { changeAccess } from '../../access/change-access.ts';
import { sentence } from '../../language/language.ts';
import { message, postForm } from '../../layout/parts.ts';
import {
  type AccountPage,
  type AccountRequest,
  idOf,
  type PageAnswer,
  PORTAL_PATH,
} from '../../page.ts';
import { problems } from '../../problem-page.ts';
import { PEOPLE_PATH, readRole, roleChoices } from './people.ts';

/** Why an owner cannot be removed or become somebody else. */
export const LAST_OWNER = 'This is the only owner: make somebody else an owner first.';

/** The person of the path; undefined where the company has none. */
export const personOf = (request: AccountRequest) =>
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
