import { z } from 'zod';
import { readableSecret } from '../../../crypto/readable-secret.ts';
import type { DatabaseTransaction } from '../../../db/connection.ts';
import { forgetSignIns } from '../../../db/limits/sign-in-attempts.ts';
import { setPortalRole } from '../../../db/portal/people.ts';
import {
  addPortalAccount,
  canonicalEmail,
  findPortalAccount,
  setPassword,
  setPortalAccountDisabled,
} from '../../../db/portal/portal-accounts.ts';
import type { PortalRole } from '../../../domain/access/portal-role.ts';
import { html, phrase } from '../../../rendering/html.ts';
import { changeAccess } from '../../access/change-access.ts';
import { copyField, message } from '../../layout/parts.ts';
import type { AccountPage, AccountRequest } from '../../page.ts';
import { problems } from '../../problem-page.ts';
import { PEOPLE_PATH, peoplePage, readRole } from './people.ts';

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
    const { settings, passwords } = request;
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
    const hours = Math.max(1, Math.round(settings.firstPasswordSeconds / 3_600));
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
  { session, settings }: AccountRequest,
  {
    email,
    role,
    hash,
  }: { readonly email: string; readonly role: PortalRole; readonly hash: string },
): Promise<number | undefined> {
  const { company } = session;
  const lifetimeSeconds = settings.firstPasswordSeconds;
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
