import { findPerson, hasOtherOwner } from '../../../db/portal/people.ts';
import { setPortalAccountDisabled } from '../../../db/portal/portal-accounts.ts';
import { endPortalSessions } from '../../../db/portal/portal-sessions.ts';
import { html } from '../../../rendering/html.ts';
import { changeAccess } from '../../access/change-access.ts';
import { sentence } from '../../language/language.ts';
import { confirmation, message } from '../../layout/parts.ts';
import { type AccountPage, type AccountRequest, idOf, type PageAnswer } from '../../page.ts';
import { problems } from '../../problem-page.ts';
import { LAST_OWNER, personOf } from './change-role.ts';
import { PEOPLE_PATH } from './people.ts';

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
