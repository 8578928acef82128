import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPasswordHashes } from '../../../../src/crypto/password-hashes.js';
import type { DatabaseTransaction } from '../../../../src/db/connection.js';
import {
  replacePassword,
  setPassword,
  setPortalAccountDisabled,
} from '../../../../src/db/portal/portal-accounts.js';
import { endPortalSessions } from '../../../../src/db/portal/portal-sessions.js';
import { prune } from '../../../db/prune.js';
import { makePartner } from '../../../support/companies.js';
import { untilBlocked } from '../../../support/database-locks.js';
import { type Stack, startStack } from '../../../support/stack.js';
import { until } from '../../../support/until.js';
import { type Account, makeAccount, portalClient, signedIn } from '../../portal-client.js';

let stack: Stack;
let account: Account;
let partnerId: number;

beforeAll(async () => {
  stack = await startStack({
    PORTAL_SIGN_INS_PER_ACCOUNT: '3',
    PORTAL_SIGN_INS_PER_ACCOUNT_ANYWHERE: '7',
    PORTAL_SIGN_INS_PER_ADDRESS: '40',
    TRUSTED_PROXIES: '127.0.0.1',
  });
  partnerId = (await makePartner(stack)).id;
  account = await makeAccount(stack, { kind: 'partner', id: partnerId });
});
afterAll(() => stack?.stop());

const newAccount = (options = {}) =>
  makeAccount(stack, { kind: 'partner', id: partnerId }, options);

/** As after further guesses of the one address that has made two: its limit of 40 leaves one more. */
const leaveOneAttempt = async () => {
  const { numUpdatedRows } = await stack.database
    .updateTable('portal_sign_in_attempts')
    .set({ attempts: 39 })
    .where('attempts', '=', 2)
    .executeTakeFirstOrThrow();
  expect(numUpdatedRows).toBe(1n);
};

const forgetAttempts = () => stack.database.deleteFrom('portal_sign_in_attempts').execute();

describe('signing in', () => {
  test('leads to the overview, with a cookie that only the portal gets', async () => {
    const client = portalClient(stack);
    const answer = await client.signIn(account);
    expect(answer).toMatchObject({ status: 303, location: '/portal' });
    const [session = ''] = answer.headers.getSetCookie();
    expect(session).toMatch(/^portal-session=[\w-]{43}; Path=\/portal; HttpOnly; SameSite=Lax$/);
    const overview = await client.get('/portal');
    expect(overview.status).toBe(200);
    expect(overview.html).toContain(account.email);
  });

  test('takes the address in any spelling, and goes on to the page that was asked for', async () => {
    const client = portalClient(stack);
    const asked = await client.get('/portal/account');
    expect(asked).toMatchObject({
      status: 303,
      location: '/portal/sign-in?next=%2Fportal%2Faccount',
    });
    const answer = await client.submit(asked.location ?? '', '/portal/sign-in', {
      email: ` ${account.email.toUpperCase()} `,
      password: account.password,
    });
    expect(answer).toMatchObject({ status: 303, location: '/portal/account' });
  });

  test.each([
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/portal/../api',
    '/portalx',
  ])('never goes on to %s', async (next) => {
    const client = portalClient(stack);
    const page = `/portal/sign-in?next=${encodeURIComponent(next)}`;
    const answer = await client.submit(page, '/portal/sign-in', { ...account });
    expect(answer).toMatchObject({ status: 303, location: '/portal' });
  });

  test('keeps only digests', async () => {
    const client = await signedIn(stack, account);
    const token = client.cookies.get('portal-session') ?? '';
    const { rows } = await sql<{ text: string }>`
      select row_to_json(s)::text as text from portal_sessions s
      union all select row_to_json(a)::text from portal_accounts a
      union all select row_to_json(l)::text from audit_log l
      union all select row_to_json(t)::text from portal_sign_in_attempts t`.execute(stack.database);
    const all = rows.map(({ text }) => text).join('\n');
    expect(all).toContain(account.email);
    expect(all).not.toContain(token);
    expect(all).not.toContain(Buffer.from(token).toString('hex'));
    expect(all).not.toContain(account.password);
  });

  test('is answered alike for a wrong password, an unknown address and a disabled account', async () => {
    const disabled = await newAccount();
    await stack.database
      .updateTable('portal_accounts')
      .set({ disabled_at: new Date() })
      .where('email', '=', disabled.email)
      .execute();
    const invited = await newAccount();
    await stack.database
      .updateTable('portal_accounts')
      .set({ password_hash: null })
      .where('email', '=', invited.email)
      .execute();
    const tries = [
      { email: (await newAccount()).email, password: 'not the password' },
      { email: 'nobody@portal.example', password: 'not the password' },
      { email: 'no\u0000body@portal.example', password: 'not\u0000the password' },
      disabled,
      invited,
    ];
    for (const { email, password } of tries) {
      const answer = await portalClient(stack).signIn({ email, password });
      expect(answer.status).toBe(403);
      expect(answer.html).toContain('The e-mail address or the password is incorrect.');
      expect(answer.headers.getSetCookie().join()).not.toContain('portal-session');
    }
    await forgetAttempts();
  });

  test('takes as long for an unknown address as for a wrong password', async () => {
    const { email } = await newAccount();
    const timeOf = async (who: string) => {
      const client = portalClient(stack);
      await client.get('/portal/sign-in');
      const startedAt = performance.now();
      await client.signIn({ email: who, password: 'not the password' });
      return performance.now() - startedAt;
    };
    const median = (times: number[]) => times.sort((a, b) => a - b)[1] ?? 0;
    const known: number[] = [];
    const unknown: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      known.push(await timeOf(email));
      unknown.push(await timeOf('nobody-at-all@portal.example'));
    }
    // Without the work it would be a tenth.
    expect(median(unknown)).toBeGreaterThan(median(known) / 3);
    await forgetAttempts();
  });

  test('needs both fields', async () => {
    const answer = await portalClient(stack).signIn({ email: account.email, password: '' });
    expect(answer.status).toBe(422);
  });
});

describe('too many passwords', () => {
  test('are refused per account, right or wrong, known or not, with the time to wait', async () => {
    for (const { email, password } of [
      await newAccount(),
      { email: 'x@y.example', password: 'z' },
    ]) {
      const wrong = { email, password: 'not the password' };
      for (let attempt = 0; attempt < 3; attempt += 1)
        expect((await portalClient(stack).signIn(wrong)).status).toBe(403);
      const answer = await portalClient(stack).signIn({ email, password });
      expect(answer.status).toBe(429);
      const seconds = Number(answer.headers.get('retry-after'));
      expect(seconds).toBeGreaterThan(800);
      expect(seconds).toBeLessThanOrEqual(900);
    }
    await forgetAttempts();
  });

  test('gain nothing by coming at the same moment', async () => {
    const { email } = await newAccount();
    const clients = Array.from({ length: 12 }, () => portalClient(stack));
    const answers = await Promise.all(
      clients.map((client) => client.signIn({ email, password: 'not the password' })),
    );
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(3);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(9);
    await forgetAttempts();
  });

  test('are refused per address, whoever signs in', async () => {
    const guess = async (email: string) =>
      (await portalClient(stack).signIn({ email, password: 'x' })).status;
    await forgetAttempts();
    expect(await guess('nobody-1@portal.example')).toBe(403);
    expect(await guess('nobody-2@portal.example')).toBe(403);
    await leaveOneAttempt();
    expect(await guess('nobody-40@portal.example')).toBe(403);
    expect(await guess('nobody-41@portal.example')).toBe(429);
    expect((await portalClient(stack).signIn(account)).status).toBe(429);
    await forgetAttempts();
  });

  test('are forgotten after a right one, and when the window is over', async () => {
    const one = await newAccount();
    const wrong = { email: one.email, password: 'not the password' };
    for (let round = 0; round < 2; round += 1) {
      await portalClient(stack).signIn(wrong);
      await portalClient(stack).signIn(wrong);
      expect((await portalClient(stack).signIn(one)).status).toBe(303);
    }
    for (let attempt = 0; attempt < 4; attempt += 1) await portalClient(stack).signIn(wrong);
    await stack.database
      .updateTable('portal_sign_in_attempts')
      .set({ window_began_at: sql<Date>`now() - interval '901 seconds'` })
      .execute();
    expect((await portalClient(stack).signIn(one)).status).toBe(303);
    await forgetAttempts();
  });
});

describe('guesses of somebody else', () => {
  const from = (address: string) => portalClient(stack, { 'X-Forwarded-For': address });
  const guess = async (email: string, address: string, times: number) => {
    const client = from(address);
    for (let attempt = 0; attempt < times; attempt += 1)
      await client.signIn({ email, password: 'not the password' });
  };

  test('from one address lock nobody out at another', async () => {
    const one = await newAccount();
    await guess(one.email, '203.0.113.1', 20);
    expect((await from('203.0.113.1').signIn(one)).status).toBe(429);
    expect((await from('203.0.113.2').signIn(one)).status).toBe(303);
  });

  test('from many addresses lock out strangers, but not a browser that signed in before', async () => {
    const one = await newAccount();
    const own = from('203.0.113.3');
    await own.signIn(one);
    for (const last of [4, 5, 6, 7]) await guess(one.email, `203.0.113.${last}`, 3);
    expect((await from('203.0.113.8').signIn(one)).status).toBe(429);
    expect((await own.signIn(one)).status).toBe(303);
    // It has a count of its own, and is known for its own account alone.
    for (let attempt = 0; attempt < 3; attempt += 1)
      expect((await own.signIn({ ...one, password: 'wrong' })).status).toBe(403);
    expect((await own.signIn(one)).status).toBe(429);
    const other = await newAccount();
    await guess(other.email, '203.0.113.3', 3);
    expect((await own.signIn(other)).status).toBe(429);
  });

  test('end at what an account takes from anywhere, also with devices that are made up', async () => {
    const one = await newAccount();
    const statuses: number[] = [];
    for (const last of [11, 12, 13, 14]) {
      const client = from(`203.0.113.${last}`);
      for (let attempt = 0; attempt < 2; attempt += 1) {
        client.cookies.set('portal-device', `${last}${attempt}`.padEnd(43, 'x'));
        statuses.push((await client.signIn({ ...one, password: 'not it' })).status);
      }
    }
    expect(statuses).toEqual([403, 403, 403, 403, 403, 403, 403, 429]);
  });

  test('do not keep somebody who is signed in from changing the password', async () => {
    const one = await newAccount();
    const client = await signedIn(stack, one);
    for (const last of [21, 22, 23, 24]) await guess(one.email, `203.0.113.${last}`, 3);
    const fields = { password: one.password, 'new-password': 'a password of my own' };
    const answer = await client.submit('/portal/account', '/portal/account/password', fields);
    expect(answer.status).toBe(303);
  });

  test('leave no rows behind once their address is over its limit, and none for long', async () => {
    await forgetAttempts();
    const address = '2001:db8::1';
    const rows = () =>
      stack.database.selectFrom('portal_sign_in_attempts').select('subject_digest').execute();
    await guess('nobody-1@portal.example', address, 1);
    await guess('nobody-2@portal.example', address, 1);
    expect(await rows()).toHaveLength(5);
    await leaveOneAttempt();
    for (let attempt = 40; attempt < 45; attempt += 1)
      await guess(`nobody-${attempt}@portal.example`, address, 1);
    expect(await rows()).toHaveLength(7);
    await stack.database
      .updateTable('portal_sign_in_attempts')
      .set({ window_began_at: sql<Date>`now() - interval '901 seconds'` })
      .execute();
    await guess('somebody@portal.example', address, 1);
    await prune(stack.database, 'counts of sign-ins', { signInSeconds: 900 });
    expect(await rows()).toHaveLength(3);
    await forgetAttempts();
  });

  test('from ever new addresses keep nobody out at a browser that signed in before', async () => {
    const one = await newAccount();
    const own = from('203.0.113.30');
    await own.signIn(one);
    let isOver = false;
    let tried = 0;
    const seen = new Set<number>();
    const flood = Array.from({ length: 30 }, async () => {
      while (!isOver) {
        tried += 1;
        const address = `198.18.${tried >> 8}.${tried & 255}`;
        const guessed = { email: `${tried}@portal.example`, password: 'not the password' };
        const { status, headers } = await from(address).signIn(guessed);
        seen.add(status);
        if (status === 503) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      }
    });
    try {
      await until(() => expect(seen).toContain(503));
      for (let round = 0; round < 4; round += 1) expect((await own.signIn(one)).status).toBe(303);
      // A new device is looked at in its turn, or told to come back.
      const answer = await from('203.0.113.31').signIn(one);
      expect([303, 503]).toContain(answer.status);
    } finally {
      isOver = true;
      await Promise.all(flood);
    }
    expect([...seen].sort()).toEqual([403, 503]);
    await forgetAttempts();
  }, 240_000);

  test('count, too, where there was no room to look at them', async () => {
    const { email } = await newAccount();
    const clients = Array.from({ length: 36 }, () => portalClient(stack));
    await Promise.all(clients.map((client) => client.get('/portal/sign-in')));
    const answers = await Promise.all(
      clients.map((client, index) =>
        client.signIn({ email: `${index % 12}-${email}`, password: 'not the password' }),
      ),
    );
    const looked = answers.filter(({ status }) => status === 403).length;
    const busy = answers.filter(({ status }) => status === 503).length;
    expect(looked + busy).toBe(36);
    expect(busy).toBeGreaterThan(0);
    const subjectDigest = stack.digests.signInSubject('address', '127.0.0.1');
    const { attempts } = await stack.database
      .selectFrom('portal_sign_in_attempts')
      .select('attempts')
      .where('subject_digest', '=', subjectDigest)
      .executeTakeFirstOrThrow();
    expect(attempts).toBe(36);
    await forgetAttempts();
  });
});

describe('a session', () => {
  test('counts for nothing where its cookie comes twice, of which one is planted', async () => {
    const client = await signedIn(stack, account);
    const own = client.cookies.get('portal-session');
    const ask = async (planted?: string) => {
      const cookie = `portal-session=${planted}; portal-session=${own}`;
      return (await portalClient(stack, { cookie }).get('/portal')).status;
    };
    const stranger = await signedIn(stack, await newAccount());
    expect(await ask(stranger.cookies.get('portal-session'))).toBe(303);
    expect(await ask(own)).toBe(200);
  });

  test('is a new one at every sign-in, and the one before ends', async () => {
    const client = portalClient(stack);
    const planted = 'A'.repeat(43);
    client.cookies.set('portal-session', planted);
    await client.signIn(account);
    const first = client.cookies.get('portal-session');
    expect(first).not.toBe(planted);
    await client.submit('/portal/sign-in', '/portal/sign-in', { ...account });
    expect(client.cookies.get('portal-session')).not.toBe(first);
    const old = portalClient(stack);
    old.cookies.set('portal-session', first ?? '');
    expect((await old.get('/portal')).status).toBe(303);
  });

  test('ends with signing out, in the database too', async () => {
    const client = await signedIn(stack, account);
    const token = client.cookies.get('portal-session') ?? '';
    const answer = await client.submit('/portal', '/portal/sign-out');
    expect(answer).toMatchObject({ status: 303, location: '/portal/sign-in?out=yes' });
    expect(client.cookies.has('portal-session')).toBe(false);
    client.cookies.set('portal-session', token);
    expect((await client.get('/portal')).location).toMatch('/portal/sign-in');
  });

  test('ends everywhere', async () => {
    const one = await newAccount();
    const [here, there] = [await signedIn(stack, one), await signedIn(stack, one)];
    await here.submit('/portal/account', '/portal/account/sign-out-everywhere');
    expect((await there.get('/portal')).status).toBe(303);
    const other = await signedIn(stack, account);
    expect((await other.get('/portal')).status).toBe(200);
  });

  test.each([
    ['idle', { last_seen_at: sql<Date>`now() - interval '1801 seconds'` }],
    ['old', { created_at: sql<Date>`now() - interval '43201 seconds'` }],
  ])('ends when it is %s', async (_name, change) => {
    const one = await newAccount();
    const client = await signedIn(stack, one);
    await stack.database
      .updateTable('portal_sessions')
      .set(change)
      .where('account_id', '=', (eb) =>
        eb.selectFrom('portal_accounts').select('id').where('email', '=', one.email),
      )
      .execute();
    expect((await client.get('/portal')).status).toBe(303);
  });

  test('stays alive while it is used', async () => {
    const client = await signedIn(stack, account);
    await stack.database
      .updateTable('portal_sessions')
      .set({ last_seen_at: sql<Date>`now() - interval '1000 seconds'` })
      .execute();
    expect((await client.get('/portal')).status).toBe(200);
    const { count } = await stack.database
      .selectFrom('portal_sessions')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('last_seen_at', '>', sql<Date>`now() - interval '60 seconds'`)
      .executeTakeFirstOrThrow();
    expect(count).toBe(1);
  });

  test('ends with its account', async () => {
    const one = await newAccount();
    const client = await signedIn(stack, one);
    await stack.database
      .updateTable('portal_accounts')
      .set({ disabled_at: new Date() })
      .where('email', '=', one.email)
      .execute();
    expect((await client.get('/portal')).status).toBe(303);
  });
});

describe('the password', () => {
  const change = async (one: Account, present: string, chosen: string) => {
    const client = await signedIn(stack, one);
    const answer = await client.submit('/portal/account', '/portal/account/password', {
      password: present,
      'new-password': chosen,
    });
    return { client, answer };
  };

  test('is changed, which ends the other sessions', async () => {
    const one = await newAccount();
    const elsewhere = await signedIn(stack, one);
    const chosen = 'four words are fine';
    const { client, answer } = await change(one, one.password, chosen);
    expect(answer).toMatchObject({ status: 303, location: '/portal/account' });
    expect((await client.get('/portal/account')).html).toContain('Your password is changed');
    // It is told once.
    expect((await client.get('/portal/account')).html).not.toContain('Your password is changed');
    expect((await elsewhere.get('/portal')).status).toBe(303);
    expect((await portalClient(stack).signIn(one)).status).toBe(403);
    expect((await portalClient(stack).signIn({ ...one, password: chosen })).status).toBe(303);
  });

  test.each([
    ['a wrong present one', 'wrong', 'four words are fine', 'not your current password'],
    ['a short one', undefined, 'short', 'at least 12 characters'],
    ['one of few characters', undefined, 'abababababab', 'more different characters'],
    ['a common one', undefined, '123456789012', 'easy to guess'],
    ['the same again', undefined, undefined, 'differs from the current one'],
  ])('is not changed with %s', async (_name, present, chosen, words) => {
    const one = await newAccount();
    const { answer } = await change(one, present ?? one.password, chosen ?? one.password);
    expect(answer.status).toBe(422);
    expect(answer.html).toContain(words);
    expect((await portalClient(stack).signIn(one)).status).toBe(303);
  });

  test('that an operator made is changed before anything else', async () => {
    const one = await newAccount({ mustChangePassword: true });
    const client = await signedIn(stack, one);
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
    stack.database
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
    const { running } = await stack.database.transaction().execute(async (transaction) => {
      await sql`select 1 from portal_accounts where id = ${id} for update`.execute(transaction);
      const result = request();
      await untilBlocked(stack.database);
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
    const one = await newAccount();
    const client = await signedIn(stack, one);
    const fields = { password: one.password, 'new-password': 'a password of my own' };
    const submit = () => client.submit('/portal/account', '/portal/account/password', fields);
    const answer = await overtaken(one.email, submit, reset);
    expect(answer.status).toBe(422);
    expect(answer.html).toContain('not your current password');
    expect((await readAccount(one.email)).password_hash).toBe(RESET);
  });

  test('is not changed by a session that has ended, or of a disabled account', async () => {
    const one = await newAccount();
    const ends = [
      (transaction: DatabaseTransaction, id: number) =>
        setPortalAccountDisabled(transaction, id, true),
      (transaction: DatabaseTransaction, id: number) => endPortalSessions(transaction, id),
    ];
    const { id, password_hash } = await readAccount(one.email);
    for (const end of ends)
      await stack.database.transaction().execute(async (transaction) => {
        const client = await signedIn(stack, one);
        const digest = stack.digests.portalSession(client.cookies.get('portal-session') ?? '');
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
    ['was changed', false],
    ['was changed, and had been hashed at another cost', true],
  ])('lets nobody in that %s while it was looked at', async (_name, isOutdated) => {
    const one = await newAccount();
    if (isOutdated)
      await stack.database
        .updateTable('portal_accounts')
        .set({ password_hash: await createPasswordHashes(15).make(one.password) })
        .where('email', '=', one.email)
        .execute();
    const client = portalClient(stack);
    const answer = await overtaken(one.email, () => client.signIn(one), reset);
    expect(answer.status).toBe(403);
    expect(client.cookies.has('portal-session')).toBe(false);
    expect((await readAccount(one.email)).password_hash).toBe(RESET);
    await forgetAttempts();
  });

  test('lets nobody in whose account was disabled while it was looked at', async () => {
    const one = await newAccount();
    const answer = await overtaken(
      one.email,
      () => portalClient(stack).signIn(one),
      (transaction, id) => setPortalAccountDisabled(transaction, id, true),
    );
    expect(answer.status).toBe(403);
    await forgetAttempts();
  });

  test('is hashed anew at the present cost when somebody signs in', async () => {
    const one = await newAccount();
    await stack.database
      .updateTable('portal_accounts')
      .set({ password_hash: await createPasswordHashes(15).make(one.password) })
      .where('email', '=', one.email)
      .execute();
    await signedIn(stack, one);
    const { password_hash } = await stack.database
      .selectFrom('portal_accounts')
      .select('password_hash')
      .where('email', '=', one.email)
      .executeTakeFirstOrThrow();
    expect(password_hash).toMatch(/^scrypt\$14\$8\$1\$/);
    await signedIn(stack, one);
  });
});
