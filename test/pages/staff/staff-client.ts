import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { createPasswordHashes } from '../../../src/crypto/password-hashes.ts';
import { addStaffAccount } from '../../../src/db/people/accounts.ts';
import type { StaffRole } from '../../../src/domain/staff.ts';
import { type Stack, TEST_PASSWORD_COST } from '../../support/stack.ts';
import {
  type Account,
  codeOf,
  hiddenFields,
  type PortalClient,
  portalClient,
} from '../portal/portal-client.ts';

const passwords = createPasswordHashes(TEST_PASSWORD_COST);

export const SET_UP = '/support/account/second-factor';

export interface StaffAccount extends Account {
  readonly id: number;
  readonly name: string;
}

/** An account of the service, with a password of its own and no second factor yet. */
export async function makeStaff(
  stack: Pick<Stack, 'database'>,
  role: StaffRole = 'AGENT',
): Promise<StaffAccount> {
  const email = `${randomUUID()}@service.example`;
  const password = `correct horse ${randomUUID()}`;
  const name = `Hanna ${role}`;
  const hash = await passwords.make(password);
  const id = await stack.database.transaction().execute((transaction) =>
    addStaffAccount(transaction, {
      email,
      name,
      role,
      password: { hash, mustChange: false },
    }),
  );
  return { id: id ?? 0, email, password, name };
}

/** The form of the sign-in at /support. */
export const signInAtSupport = (client: PortalClient, { email, password }: Account) =>
  client.submit('/support/sign-in', '/support/sign-in', { email, password });

/** Sets up one-time passwords as a person does; returns their secret, whose present code is unused. */
export async function setUpCodes(
  stack: Pick<Stack, 'database'>,
  client: PortalClient,
  page = SET_UP,
) {
  const { html } = await client.get(page);
  const secret = /data-copy value="([A-Z2-7 ]+)"/.exec(html)?.[1]?.replaceAll(' ', '') ?? '';
  const action = `${page}/one-time-password`;
  const answer = await client.post(action, {
    ...hiddenFields(html, action),
    'new-code': codeOf(secret),
  });
  expect(answer.status).toBe(200);
  await stack.database.updateTable('portal_one_time_passwords').set({ last_step: 0 }).execute();
  return secret;
}

/** A browser of a person of the service who has signed in and set up one-time passwords. */
export async function staffClient(stack: Stack, role: StaffRole = 'AGENT') {
  const account = await makeStaff(stack, role);
  const client = portalClient(stack);
  expect((await signInAtSupport(client, account)).status).toBe(303);
  const secret = await setUpCodes(stack, client);
  return { account, client, secret };
}
