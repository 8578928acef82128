import { get } from 'node:http';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { portalClient, signedIn } from '../portal-client.ts';
import { signInScene } from './sign-in-scene.ts';

const scene = signInScene();

/** Asks as a browser does: `fetch` sets these headers itself. */
const statusOf = (path: string, headers: Record<string, string>): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    get(scene.stack.url + path, { headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    }).on('error', reject);
  });

describe('a session', () => {
  test('counts for nothing where its cookie comes twice, of which one is planted', async () => {
    const client = await signedIn(scene.stack, scene.account);
    const own = client.cookies.get('portal-session');
    const ask = async (planted?: string) => {
      const cookie = `portal-session=${planted}; portal-session=${own}`;
      return (await portalClient(scene.stack, { cookie }).get('/portal')).status;
    };
    const stranger = await signedIn(scene.stack, await scene.newAccount());
    expect(await ask(stranger.cookies.get('portal-session'))).toBe(303);
    expect(await ask(own)).toBe(200);
  });

  test('is a new one at every sign-in, and the one before ends', async () => {
    const client = portalClient(scene.stack);
    const planted = 'A'.repeat(43);
    client.cookies.set('portal-session', planted);
    await client.signIn(scene.account);
    const first = client.cookies.get('portal-session');
    expect(first).not.toBe(planted);
    await client.submit('/portal/sign-in', '/portal/sign-in', { ...scene.account });
    expect(client.cookies.get('portal-session')).not.toBe(first);
    const old = portalClient(scene.stack);
    old.cookies.set('portal-session', first ?? '');
    expect((await old.get('/portal')).status).toBe(303);
  });

  test('ends with signing out, in the database too', async () => {
    const client = await signedIn(scene.stack, scene.account);
    const token = client.cookies.get('portal-session') ?? '';
    const answer = await client.submit('/portal', '/portal/sign-out');
    expect(answer).toMatchObject({ status: 303, location: '/portal/sign-in?out=yes' });
    expect(client.cookies.has('portal-session')).toBe(false);
    client.cookies.set('portal-session', token);
    expect((await client.get('/portal')).location).toMatch('/portal/sign-in');
  });

  test('ends everywhere', async () => {
    const one = await scene.newAccount();
    const [here, there] = [await signedIn(scene.stack, one), await signedIn(scene.stack, one)];
    await here.submit('/portal/account', '/portal/account/sign-out-everywhere');
    expect((await there.get('/portal')).status).toBe(303);
    const other = await signedIn(scene.stack, scene.account);
    expect((await other.get('/portal')).status).toBe(200);
  });

  test.each([
    ['idle', { last_seen_at: sql<Date>`now() - interval '1801 seconds'` }],
    ['old', { created_at: sql<Date>`now() - interval '43201 seconds'` }],
  ])('ends when it is %s', async (_name, change) => {
    const one = await scene.newAccount();
    const client = await signedIn(scene.stack, one);
    await scene.stack.database
      .updateTable('portal_sessions')
      .set(change)
      .where('account_id', '=', (eb) =>
        eb.selectFrom('portal_accounts').select('id').where('email', '=', one.email),
      )
      .execute();
    expect((await client.get('/portal')).status).toBe(303);
  });

  test.each([
    ['stays alive while it is used', '/portal/webhooks/1', {}, 1],
    [
      'stays alive by a click',
      '/portal/webhooks/1',
      { 'sec-fetch-mode': 'navigate', 'sec-fetch-user': '?1' },
      1,
    ],
    [
      'does not live on a page that loads itself',
      '/portal/webhooks/1',
      { 'sec-fetch-mode': 'navigate' },
      0,
    ],
    // Safari says that it navigates, and never for whom.
    ['stays alive by any other page', '/portal', { 'sec-fetch-mode': 'navigate' }, 1],
  ])('%s', async (_name, path, headers, used) => {
    const client = await signedIn(scene.stack, scene.account);
    await scene.stack.database
      .updateTable('portal_sessions')
      .set({ last_seen_at: sql<Date>`now() - interval '1000 seconds'` })
      .execute();
    const cookie = `portal-session=${client.cookies.get('portal-session')}`;
    expect([200, 404]).toContain(await statusOf(path, { cookie, ...headers }));
    const { count } = await scene.stack.database
      .selectFrom('portal_sessions')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('last_seen_at', '>', sql<Date>`now() - interval '60 seconds'`)
      .executeTakeFirstOrThrow();
    expect(count).toBe(used);
  });

  test('ends with its account', async () => {
    const one = await scene.newAccount();
    const client = await signedIn(scene.stack, one);
    await scene.stack.database
      .updateTable('portal_accounts')
      .set({ disabled_at: new Date() })
      .where('email', '=', one.email)
      .execute();
    expect((await client.get('/portal')).status).toBe(303);
  });
});
