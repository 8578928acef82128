import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { until } from '../../../support/until.ts';
import { portalClient, signedIn } from '../portal-client.ts';
import { SLOW_PASSWORD_COST, signInScene } from './sign-in-scene.ts';

const scene = signInScene(SLOW_PASSWORD_COST);

describe('signing in', () => {
  test('leads to the overview, with a cookie that only the portal gets', async () => {
    const client = portalClient(scene.stack);
    const answer = await client.signIn(scene.account);
    expect(answer).toMatchObject({ status: 303, location: '/portal' });
    const [session = ''] = answer.headers.getSetCookie();
    expect(session).toMatch(/^portal-session=[\w-]{43}; Path=\/portal; HttpOnly; SameSite=Lax$/);
    const overview = await client.get('/portal');
    expect(overview.status).toBe(200);
    expect(overview.html).toContain(scene.account.email);
  });

  test('takes the address in any spelling, and goes on to the page that was asked for', async () => {
    const client = portalClient(scene.stack);
    const asked = await client.get('/portal/account');
    expect(asked).toMatchObject({
      status: 303,
      location: '/portal/sign-in?next=%2Fportal%2Faccount',
    });
    const answer = await client.submit(asked.location ?? '', '/portal/sign-in', {
      email: ` ${scene.account.email.toUpperCase()} `,
      password: scene.account.password,
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
    const client = portalClient(scene.stack);
    const page = `/portal/sign-in?next=${encodeURIComponent(next)}`;
    const answer = await client.submit(page, '/portal/sign-in', { ...scene.account });
    expect(answer).toMatchObject({ status: 303, location: '/portal' });
  });

  test('keeps only digests', async () => {
    const client = await signedIn(scene.stack, scene.account);
    const token = client.cookies.get('portal-session') ?? '';
    const { rows } = await sql<{ text: string }>`
      select row_to_json(s)::text as text from portal_sessions s
      union all select row_to_json(a)::text from portal_accounts a
      union all select row_to_json(l)::text from audit_log l
      union all select row_to_json(t)::text from portal_sign_in_attempts t`.execute(
      scene.stack.database,
    );
    const all = rows.map(({ text }) => text).join('\n');
    expect(all).toContain(scene.account.email);
    expect(all).not.toContain(token);
    expect(all).not.toContain(Buffer.from(token).toString('hex'));
    expect(all).not.toContain(scene.account.password);
  });

  test('is answered alike for a wrong password, an unknown address and a disabled account', async () => {
    const disabled = await scene.newAccount();
    await scene.stack.database
      .updateTable('portal_accounts')
      .set({ disabled_at: new Date() })
      .where('email', '=', disabled.email)
      .execute();
    const invited = await scene.newAccount();
    await scene.stack.database
      .updateTable('portal_accounts')
      .set({ password_hash: null })
      .where('email', '=', invited.email)
      .execute();
    const tries = [
      { email: (await scene.newAccount()).email, password: 'not the password' },
      { email: 'nobody@portal.example', password: 'not the password' },
      { email: 'no\u0000body@portal.example', password: 'not\u0000the password' },
      disabled,
      invited,
    ];
    for (const { email, password } of tries) {
      const answer = await portalClient(scene.stack).signIn({ email, password });
      expect(answer.status).toBe(403);
      expect(answer.html).toContain('The e-mail address or the password is incorrect.');
      expect(answer.headers.getSetCookie().join()).not.toContain('portal-session');
    }
    await scene.forgetAttempts();
  });

  test('takes as long for an unknown address as for a wrong password', async () => {
    const { email } = await scene.newAccount();
    const timeOf = async (who: string) => {
      const client = portalClient(scene.stack);
      await client.get('/portal/sign-in');
      const startedAt = performance.now();
      await client.signIn({ email: who, password: 'not the password' });
      return performance.now() - startedAt;
    };
    const known: number[] = [];
    const unknown: number[] = [];
    // On a busy machine each of a few rounds may be held up.
    for (let round = 0; round < 6; round += 1) {
      known.push(await timeOf(email));
      unknown.push(await timeOf('nobody-at-all@portal.example'));
      await scene.forgetAttempts();
    }
    // Without the work it would be a tenth. Of each the quickest, which nothing else has held up.
    expect(Math.min(...unknown)).toBeGreaterThan(Math.min(...known) / 3);
  });

  test('needs both fields', async () => {
    const answer = await portalClient(scene.stack).signIn({
      email: scene.account.email,
      password: '',
    });
    expect(answer.status).toBe(422);
  });
});

describe('a flood of guesses', () => {
  const from = (address: string) => portalClient(scene.stack, { 'X-Forwarded-For': address });

  test('from ever new addresses keeps nobody out at a browser that signed in before', async () => {
    const one = await scene.newAccount();
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
      expect((await own.signIn(one)).status).toBe(303);
    } finally {
      isOver = true;
      await Promise.all(flood);
    }
    expect([...seen].sort()).toEqual([403, 503]);
    await scene.forgetAttempts();
  });

  test('counts, too, where there was no room to look at it', async () => {
    const { email } = await scene.newAccount();
    const clients = Array.from({ length: 36 }, () => portalClient(scene.stack));
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
    const subjectDigest = scene.stack.digests.signInSubject('address', '127.0.0.1');
    const { attempts } = await scene.stack.database
      .selectFrom('portal_sign_in_attempts')
      .select('attempts')
      .where('subject_digest', '=', subjectDigest)
      .executeTakeFirstOrThrow();
    expect(attempts).toBe(36);
    await scene.forgetAttempts();
  });
});
