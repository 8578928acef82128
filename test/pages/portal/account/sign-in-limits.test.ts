import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { commandsOn } from '../../../admin/scene.ts';
import { prune } from '../../../db/prune.ts';
import { until } from '../../../support/until.ts';
import { portalClient, signedIn } from '../portal-client.ts';
import { signInScene } from './sign-in-scene.ts';

const scene = signInScene();

describe('too many passwords', () => {
  test('are refused per scene.account, right or wrong, known or not, with the time to wait', async () => {
    for (const { email, password } of [
      await scene.newAccount(),
      { email: 'x@y.example', password: 'z' },
    ]) {
      const wrong = { email, password: 'not the password' };
      for (let attempt = 0; attempt < 3; attempt += 1)
        expect((await portalClient(scene.stack).signIn(wrong)).status).toBe(403);
      const answer = await portalClient(scene.stack).signIn({ email, password });
      expect(answer.status).toBe(429);
      const seconds = Number(answer.headers.get('retry-after'));
      expect(seconds).toBeGreaterThan(800);
      expect(seconds).toBeLessThanOrEqual(900);
    }
    await scene.forgetAttempts();
  });

  test('gain nothing by coming at the same moment', async () => {
    const { email } = await scene.newAccount();
    const clients = Array.from({ length: 12 }, () => portalClient(scene.stack));
    const answers = await Promise.all(
      clients.map((client) => client.signIn({ email, password: 'not the password' })),
    );
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(3);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(9);
    await scene.forgetAttempts();
  });

  test('are refused per address, whoever signs in', async () => {
    const guess = async (email: string) =>
      (await portalClient(scene.stack).signIn({ email, password: 'x' })).status;
    await scene.forgetAttempts();
    expect(await guess('nobody-1@portal.example')).toBe(403);
    expect(await guess('nobody-2@portal.example')).toBe(403);
    await scene.leaveOneAttempt();
    expect(await guess('nobody-40@portal.example')).toBe(403);
    expect(await guess('nobody-41@portal.example')).toBe(429);
    expect((await portalClient(scene.stack).signIn(scene.account)).status).toBe(429);
    await scene.forgetAttempts();
  });

  test('are forgotten after a right one, and when the window is over', async () => {
    const one = await scene.newAccount();
    const wrong = { email: one.email, password: 'not the password' };
    for (let round = 0; round < 2; round += 1) {
      await portalClient(scene.stack).signIn(wrong);
      await portalClient(scene.stack).signIn(wrong);
      expect((await portalClient(scene.stack).signIn(one)).status).toBe(303);
    }
    for (let attempt = 0; attempt < 4; attempt += 1) await portalClient(scene.stack).signIn(wrong);
    await scene.stack.database
      .updateTable('portal_sign_in_attempts')
      .set({ window_began_at: sql<Date>`now() - interval '901 seconds'` })
      .execute();
    expect((await portalClient(scene.stack).signIn(one)).status).toBe(303);
    await scene.forgetAttempts();
  });
});

describe('a reset by an operator', () => {
  const from = (address: string) => portalClient(scene.stack, { 'X-Forwarded-For': address });

  test('lets the person in at once, in every browser, and leaves other counts alone', async () => {
    const [one, other] = [await scene.newAccount(), await scene.newAccount()];
    const own = from('203.0.113.41');
    await own.signIn(one);
    const wrong = 'not the password';
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await own.signIn({ ...one, password: wrong });
      for (const address of ['203.0.113.42', '203.0.113.43', '203.0.113.44'])
        await from(address).signIn({ email: one.email.toUpperCase(), password: wrong });
      await from('203.0.113.45').signIn({ ...other, password: wrong });
    }
    const operator = commandsOn({ DATABASE_URL: scene.stack.urlFor('operator') });
    const { password } = await operator.json(`access account reset-password ${one.id}`);
    for (const client of [own, from('203.0.113.42'), from('203.0.113.46')])
      expect((await client.signIn({ ...one, password })).status).toBe(303);
    expect((await from('203.0.113.45').signIn(other)).status).toBe(429);
    await scene.forgetAttempts();
  });
});

describe('guesses of somebody else', () => {
  const from = (address: string) => portalClient(scene.stack, { 'X-Forwarded-For': address });
  const guess = async (email: string, address: string, times: number) => {
    const client = from(address);
    for (let attempt = 0; attempt < times; attempt += 1)
      await client.signIn({ email, password: 'not the password' });
  };

  test('from one address lock nobody out at another', async () => {
    const one = await scene.newAccount();
    await guess(one.email, '203.0.113.1', 20);
    expect((await from('203.0.113.1').signIn(one)).status).toBe(429);
    expect((await from('203.0.113.2').signIn(one)).status).toBe(303);
  });

  test('from many addresses lock out strangers, but not a browser that signed in before', async () => {
    const one = await scene.newAccount();
    const own = from('203.0.113.3');
    await own.signIn(one);
    for (const last of [4, 5, 6, 7]) await guess(one.email, `203.0.113.${last}`, 3);
    expect((await from('203.0.113.8').signIn(one)).status).toBe(429);
    expect((await own.signIn(one)).status).toBe(303);
    // It has a count of its own, and is known for its own account alone.
    for (let attempt = 0; attempt < 3; attempt += 1)
      expect((await own.signIn({ ...one, password: 'wrong' })).status).toBe(403);
    expect((await own.signIn(one)).status).toBe(429);
    const other = await scene.newAccount();
    await guess(other.email, '203.0.113.3', 3);
    expect((await own.signIn(other)).status).toBe(429);
  });

  test('end at what an account takes from anywhere, also with devices that are made up', async () => {
    const one = await scene.newAccount();
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

  test('write a reason and an address once into the audit log, and few addresses', async () => {
    const written = async (email: string) => {
      const { rows } = await sql<{ from: string }>`select details ->> 'sourceAddress' as "from"
        from audit_log where action = 'fail sign-in' and actor = ${`portal:${email}`}`.execute(
        scene.stack.database,
      );
      return rows.map((row) => row.from).sort();
    };
    const [one, other] = [await scene.newAccount(), await scene.newAccount()];
    await guess(one.email, '203.0.113.31', 2);
    await guess(one.email.toUpperCase(), '203.0.113.32', 1);
    for (const last of [31, 32, 33, 34, 35]) await guess(other.email, `203.0.113.${last}`, 1);
    await until(async () => {
      expect(await written(one.email)).toEqual(['203.0.113.31', '203.0.113.32']);
      expect(await written(other.email)).toHaveLength(3);
    });
    await scene.stack.database
      .updateTable('portal_accounts')
      .set({ disabled_at: sql<Date>`now()` })
      .where('email', '=', other.email)
      .execute();
    await from('203.0.113.37').signIn(other);
    await until(async () => expect(await written(other.email)).toContain('203.0.113.37'));
    await scene.stack.database
      .updateTable('portal_sign_in_attempts')
      .set({ window_began_at: sql<Date>`now() - interval '901 seconds'` })
      .execute();
    await guess(other.email, '203.0.113.36', 1);
    await until(async () => expect(await written(other.email)).toContain('203.0.113.36'));
    expect(await written(other.email)).toHaveLength(5);
    expect(await written(one.email)).toHaveLength(2);
  });

  test('do not keep somebody who is signed in from changing the password', async () => {
    const one = await scene.newAccount();
    const client = await signedIn(scene.stack, one);
    for (const last of [21, 22, 23, 24]) await guess(one.email, `203.0.113.${last}`, 3);
    const fields = { password: one.password, 'new-password': 'a password of my own' };
    const answer = await client.submit('/portal/account', '/portal/account/password', fields);
    expect(answer.status).toBe(303);
  });

  test('leave no rows behind once their address is over its limit, and none for long', async () => {
    await scene.forgetAttempts();
    const address = '2001:db8::1';
    const rows = () =>
      scene.stack.database.selectFrom('portal_sign_in_attempts').select('subject_digest').execute();
    await guess('nobody-1@portal.example', address, 1);
    await guess('nobody-2@portal.example', address, 1);
    expect(await rows()).toHaveLength(5);
    await scene.leaveOneAttempt();
    for (let attempt = 40; attempt < 45; attempt += 1)
      await guess(`nobody-${attempt}@portal.example`, address, 1);
    expect(await rows()).toHaveLength(7);
    await scene.stack.database
      .updateTable('portal_sign_in_attempts')
      .set({ window_began_at: sql<Date>`now() - interval '901 seconds'` })
      .execute();
    await guess('somebody@portal.example', address, 1);
    await prune(scene.stack.database, 'counts of sign-ins', { signInSeconds: 900 });
    expect(await rows()).toHaveLength(3);
    await scene.forgetAttempts();
  });
});
