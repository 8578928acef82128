import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { lockForDeletion, markDeleted } from '../../../../src/db/catalogue/records.ts';
import type { DatabaseTransaction } from '../../../../src/db/connection.ts';
import {
  replacePassword,
  setPassword,
  setPortalAccountDisabled,
} from '../../../../src/db/people/accounts.ts';
import { disableAccount, endPortalSessions } from '../../../../src/db/people/sign-ins.ts';
import { makeMerchant } from '../../../support/companies.ts';
import { untilBlocked, untilBlockedBy } from '../../../support/database-locks.ts';
import { TEST_PASSWORD_COST } from '../../../support/stack.ts';
import { staffClient } from '../../staff/staff-client.ts';
import { type Account, makeAccount, portalClient, signedIn } from '../portal-client.ts';
import { signInScene } from './sign-in-scene.ts';

const scene = signInScene();

const OTHER_COST = TEST_PASSWORD_COST + 1;

describe('the password', () => {
  const change = async (one: Account, present: string, chosen: string) => {
    const client = await signedIn(scene.stack, one);
    const answer = await client.submit('/portal/account', '/portal/account/password', {
      password: present,
      'new-password': chosen,
    });
    return { client, answer };
  };

  test('is changed, which ends the other sessions', async () => {
    const one = await scene.newAccount();
    const elsewhere = await signedIn(scene.stack, one);
    const chosen = 'four words are fine';
    const { client, answer } = await change(one, one.password, chosen);
    expect(answer).toMatchObject({ status: 303, location: '/portal/account' });
    expect((await client.get('/portal/account')).html).toContain('Your password is changed');
    // It is told once.
    expect((await client.get('/portal/account')).html).not.toContain('Your password is changed');
    expect((await elsewhere.get('/portal')).status).toBe(303);
    expect((await portalClient(scene.stack).signIn(one)).status).toBe(403);
    expect((await portalClient(scene.stack).signIn({ ...one, password: chosen })).status).toBe(303);
  });

  test.each([
    ['a wrong present one', 'wrong', 'four words are fine', 'not your current password'],
    ['a short one', undefined, 'short', 'at least 12 characters'],
    ['one of few characters', undefined, 'abababababab', 'more different characters'],
    ['a common one', undefined, '123456789012', 'easy to guess'],
    ['the same again', undefined, undefined, 'differs from the current one'],
  ])('is not changed with %s', async (_name, present, chosen, words) => {
    const one = await scene.newAccount();
    const { answer } = await change(one, present ?? one.password, chosen ?? one.password);
    expect(answer.status).toBe(422);
    expect(answer.html).toContain(words);
    expect((await portalClient(scene.stack).signIn(one)).status).toBe(303);
  });

  test('that an operator made is changed before anything else', async () => {
    const one = await scene.newAccount({ mustChangePassword: true });
    const client = await signedIn(scene.stack, one);
    expect(await client.get('/portal')).toMatchObject({ location: '/portal/account' });
    const shown = await client.get('/portal/account');
    expect(shown.html).toContain('Choose your own password first');
    await client.submit('/portal/account', '/portal/account/password', {
      password: one.password,
      'new-password': 'a password of my own',
    });
    expect((await client.get('/portal')).status).toBe(200);
  });

  const readAccount = (email: string) =>
    scene.stack.database
      .selectFrom('portal_accounts')
      .select(['id', 'password_hash'])
      .where('email', '=', email)
      .executeTakeFirstOrThrow();

  /** What a request comes to whose password was looked at before the account was changed. */
  const overtaken = async <Result>(
    email: string,
    request: () => Promise<Result>,
    change: (transaction: DatabaseTransaction, id: number) => Promise<unknown>,
  ): Promise<Result> => {
    const { id } = await readAccount(email);
    const { running } = await scene.stack.database.transaction().execute(async (transaction) => {
      await sql`select 1 from portal_accounts where id = ${id} for update`.execute(transaction);
      const result = request();
      await untilBlocked(scene.stack.database);
      await change(transaction, id);
      return { running: result };
    });
    return running;
  };

  const RESET = 'scrypt$14$8$1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
  const reset = async (transaction: DatabaseTransaction, id: number) => {
    await setPassword(transaction, id, { hash: RESET, mustChange: true });
    await endPortalSessions(transaction, id);
  };

  test('that an operator makes stands, also against a change that has begun', async () => {
    const one = await scene.newAccount();
    const client = await signedIn(scene.stack, one);
    const fields = { password: one.password, 'new-password': 'a password of my own' };
    const submit = () => client.submit('/portal/account', '/portal/account/password', fields);
    const answer = await overtaken(one.email, submit, reset);
    expect(answer.status).toBe(422);
    expect(answer.html).toContain('not your current password');
    expect((await readAccount(one.email)).password_hash).toBe(RESET);
  });

  test('is not made by staff for a person of a merchant that is deleted meanwhile', async () => {
    const { stack } = scene;
    const { id } = await makeMerchant(stack);
    const one = await makeAccount(stack, { kind: 'merchant', id });
    const { client } = await staffClient(stack, 'OPERATOR');
    const page = `/support/merchants/${id}/people/${one.id}`;
    const { running } = await stack.database.transaction().execute(async (deletion) => {
      await lockForDeletion(deletion, 'merchants', id);
      const answer = client.submit(page, `${page}/password`, { why: 'Ticket 4711' });
      await untilBlockedBy(deletion, stack.database, 1);
      await disableAccount(deletion, one.id);
      await markDeleted(deletion, 'merchants', id, true);
      return { running: answer };
    });
    expect((await running).status).toBe(404);
    expect((await client.get(page)).html).toContain('Disabled');
  });

  test('is not changed by a session that has ended, or of a disabled account', async () => {
    const one = await scene.newAccount();
    const ends = [
      (transaction: DatabaseTransaction, id: number) =>
        setPortalAccountDisabled(transaction, id, true),
      (transaction: DatabaseTransaction, id: number) => endPortalSessions(transaction, id),
    ];
    const { id, password_hash } = await readAccount(one.email);
    for (const end of ends)
      await scene.stack.database.transaction().execute(async (transaction) => {
        const client = await signedIn(scene.stack, one);
        const digest = scene.stack.digests.portalSession(
          client.cookies.get('portal-session') ?? '',
        );
        const session = await transaction
          .selectFrom('portal_sessions')
          .select('id')
          .where('token_digest', '=', digest)
          .executeTakeFirstOrThrow();
        const ids = { accountId: id, sessionId: session.id };
        const hashes = { checkedHash: password_hash ?? '', newHash: RESET };
        await end(transaction, id);
        expect(await replacePassword(transaction, { ...ids, ...hashes })).toBe(false);
        await setPortalAccountDisabled(transaction, id, false);
      });
  });

  test.each([
    ['was changed', TEST_PASSWORD_COST],
    ['was changed, and had been hashed at another cost', OTHER_COST],
  ])('lets nobody in that %s while it was looked at', async (_name, passwordCost) => {
    const one = await scene.newAccount({ passwordCost });
    const client = portalClient(scene.stack);
    const answer = await overtaken(one.email, () => client.signIn(one), reset);
    expect(answer.status).toBe(403);
    expect(client.cookies.has('portal-session')).toBe(false);
    expect((await readAccount(one.email)).password_hash).toBe(RESET);
    await scene.forgetAttempts();
  });

  test('lets nobody in whose account was disabled while it was looked at', async () => {
    const one = await scene.newAccount();
    const answer = await overtaken(
      one.email,
      () => portalClient(scene.stack).signIn(one),
      (transaction, id) => setPortalAccountDisabled(transaction, id, true),
    );
    expect(answer.status).toBe(403);
    await scene.forgetAttempts();
  });

  test('is hashed anew at the present cost when somebody signs in', async () => {
    const one = await scene.newAccount({ passwordCost: OTHER_COST });
    await signedIn(scene.stack, one);
    const { password_hash } = await readAccount(one.email);
    expect(password_hash).toMatch(new RegExp(`^scrypt\\$${TEST_PASSWORD_COST}\\$8\\$1\\$`));
    await signedIn(scene.stack, one);
  });
});
