import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lockForDeletion, markDeleted } from '../../../../src/db/catalogue/records.ts';
import { disableAccount } from '../../../../src/db/people/sign-ins.ts';
import {
  createCanary,
  secretsInDatabase,
  secretsInHistories,
} from '../../../end-to-end/processes/canary.ts';
import { stoppedAt, untilBlockedBy } from '../../../support/database-locks.ts';
import { PASSWORD, setInvitationScene } from '../invitation-scene.ts';
import { type LoggedPortal, startLoggedPortal } from '../logged-portal.ts';
import { hiddenFields, portalClient } from '../portal-client.ts';

let scene: Awaited<ReturnType<typeof setInvitationScene>>;
let logged: LoggedPortal;
const canary = createCanary();

beforeAll(async () => {
  scene = await setInvitationScene();
  logged = await startLoggedPortal(scene.stack, 8);
});
afterAll(async () => {
  logged?.stop();
  await scene?.stop();
});

const forgetAttempts = () => scene.stack.database.deleteFrom('portal_sign_in_attempts').execute();

describe('a link', () => {
  test('comes by mail and SMS, and leads through a password to the first steps', async () => {
    const { invited, texts, tokenIn, activate, untilSent, untilStatus } = scene;
    const { id, email, phone, path, invitationId } = await invited();
    const row = await untilSent(invitationId);
    const [sms] = await texts(phone);
    expect(sms?.text).toMatch(
      /^Activate the voucher portal account of Abyssinia Coffee within 24 h/,
    );
    expect(path).toBe(`/portal/activate/${tokenIn(sms?.text ?? '')}`);
    expect(Number(row.expires_at) - Number(row.created_at)).toBeGreaterThan(86_399_000);

    const { client, opened, answer } = await activate(path);
    expect(opened.html).toContain('Welcome, Abyssinia Coffee');
    expect(opened.headers.get('referrer-policy')).toBe('strict-origin');
    expect(opened.headers.get('cache-control')).toBe('no-store');
    expect(answer).toMatchObject({ status: 303, location: '/portal/getting-started' });
    const started = await client.get('/portal/getting-started');
    expect(started.status).toBe(200);
    const base = `${scene.stack.api.services.settings.http.publicUrl}/api/v1/merchant/client`;
    expect(started.html).toContain(`curl -s ${base}/auth/login`);
    expect((await client.get('/portal')).html).toContain(email);
    await untilStatus(invitationId, 'USED');
    expect((await portalClient(scene.stack).signIn({ email, password: PASSWORD })).status).toBe(
      303,
    );

    const audit = await scene.stack.database
      .selectFrom('audit_log')
      .select(['actor', 'action', 'details'])
      .where('subject_kind', '=', 'merchant')
      .where('subject_id', '=', id)
      .orderBy('id')
      .execute();
    expect(audit.slice(0, 2)).toMatchObject([
      { action: 'invite merchant', details: { invitationId, email } },
      { action: 'activate portal-account', actor: `portal:${email}`, details: { invitationId } },
    ]);
  });

  test('is not used by looking at it, nor by a form without its token or with a weak password', async () => {
    const { path, invitationId } = await scene.invited();
    const client = portalClient(scene.stack);
    for (let looks = 0; looks < 3; looks += 1) expect((await client.get(path)).status).toBe(200);
    expect((await client.request(path, { method: 'HEAD' })).status).toBe(200);
    const forged = await portalClient(scene.stack).post(path, { 'new-password': PASSWORD });
    expect(forged.status).toBe(403);
    const weak = await client.submit(path, path, { 'new-password': 'short' });
    expect(weak.status).toBe(422);
    expect(weak.html).toContain('at least 12 characters');
    expect((await scene.invitationRow(invitationId)).status).toBe('OPEN');
    expect((await scene.activate(path)).answer.status).toBe(303);
  });

  test('works for one of many that use it at the same moment', async () => {
    const { path, email } = await scene.invited();
    const visitors = await Promise.all(
      Array.from({ length: 5 }, async (_, place) => {
        const client = portalClient(scene.stack);
        const fields = hiddenFields((await client.get(path)).html, path);
        return { client, fields: { ...fields, 'new-password': `password of visitor ${place}` } };
      }),
    );
    const answers = await Promise.all(
      visitors.map(({ client, fields }) => client.post(path, fields)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 404, 404, 404, 404]);
    const winner = answers.findIndex(({ status }) => status === 303);
    const signIn = (place: number) =>
      portalClient(scene.stack).signIn({ email, password: `password of visitor ${place}` });
    expect((await signIn(winner)).status).toBe(303);
    expect((await signIn((winner + 1) % 5)).status).toBe(403);
  });

  test('that was used, replaced, is over or never was gets one page, whatever is done', async () => {
    await forgetAttempts();
    const used = await scene.invited();
    await scene.activate(used.path);
    const replaced = await scene.invited();
    await scene.invite(replaced.id);
    const over = await scene.invited();
    await scene.stack.database
      .updateTable('merchant_invitations')
      .set({ expires_at: sql<Date>`now() - interval '1 second'` })
      .where('id', '=', over.invitationId)
      .execute();
    const deleted = await scene.invited();
    await scene.stack.database
      .updateTable('merchants')
      .set({ status: 'DEACTIVATED', deleted_at: new Date() })
      .where('id', '=', deleted.id)
      .execute();
    const dead = [used, replaced, over, deleted].map(({ path }) => path);
    const paths = [...dead, `/portal/activate/${'A'.repeat(26)}`, '/portal/activate/%00'];
    const answers = [];
    for (const path of paths) {
      const client = portalClient(scene.stack);
      // A form of another page has a good token.
      const { token = '' } = hiddenFields(
        (await client.get('/portal/sign-in')).html,
        '/portal/sign-in',
      );
      answers.push(await client.get(path));
      answers.push(await client.post(path, { token, 'new-password': PASSWORD }));
    }
    expect(new Set(answers.map(({ status, html }) => `${status} ${html}`)).size).toBe(1);
    expect(answers[0]).toMatchObject({
      status: 404,
      html: expect.stringContaining('This link does not work'),
    });
    expect(answers.flatMap(({ headers }) => headers.getSetCookie()).join()).not.toMatch(/session/);
  });

  test('of a newer invitation works in the place of the one before it', async () => {
    await forgetAttempts();
    const { id, email, path } = await scene.invited();
    await scene.invite(id);
    const next = await scene.mailedPath(email, 2);
    expect(next).not.toBe(path);
    expect((await scene.activate(path)).answer.status).toBe(404);
    expect((await scene.activate(next)).answer.status).toBe(303);
  });

  test('gives somebody who has an account another password, and ends all sessions', async () => {
    const { id, email, path } = await scene.invited();
    const { client: before } = await scene.activate(path);
    expect((await before.get('/portal')).status).toBe(200);
    await scene.invite(id);
    const { answer } = await scene.activate(await scene.mailedPath(email, 2), `${PASSWORD} again`);
    expect(answer.status).toBe(303);
    expect((await before.get('/portal')).status).toBe(303);
    const signIn = (password: string) => portalClient(scene.stack).signIn({ email, password });
    expect((await signIn(PASSWORD)).status).toBe(403);
    expect((await signIn(`${PASSWORD} again`)).status).toBe(303);
    expect(await scene.operator.json(`access account list --merchant ${id}`)).toHaveLength(1);
  });

  test('of before the person has chosen another password works no longer', async () => {
    const { id, email, path } = await scene.invited();
    const { client } = await scene.activate(path);
    await scene.invite(id);
    const open = await scene.mailedPath(email, 2);
    const changed = await client.submit('/portal/account', '/portal/account/password', {
      password: PASSWORD,
      'new-password': `${PASSWORD} again`,
    });
    expect(changed.status).toBe(303);
    expect((await scene.activate(open)).answer.status).toBe(404);
  });

  test('brings nobody back whose account was disabled, before the invitation or after it', async () => {
    const { id, email, path } = await scene.invited();
    await scene.activate(path);
    await scene.invite(id);
    const open = await scene.mailedPath(email, 2);
    const [account] = await scene.operator.json(`access account list --merchant ${id}`);
    await scene.operator.json(`access account disable ${account.id}`);
    expect((await scene.activate(open)).answer.status).toBe(404);
    await scene.operator.json(`access account reset-password ${account.id}`);
    expect((await scene.activate(open)).answer.status).toBe(404);
    await scene.operator.json(`access account disable ${account.id}`);
    const { code, err } = await scene.operator.admin(`merchant invite ${id}`);
    const remedy = `is disabled: "access account reset-password ${account.id}" enables it`;
    expect([code, err]).toEqual([1, expect.stringContaining(remedy)]);
    const [after] = await scene.operator.json(`access account list --merchant ${id}`);
    expect(after.disabledAt).not.toBeNull();
  });

  test('brings nobody back whose account is disabled while it is used', async () => {
    const { id, email, path } = await scene.invited();
    await scene.activate(path);
    await scene.invite(id);
    const open = await scene.mailedPath(email, 2);
    const [account] = await scene.operator.json(`access account list --merchant ${id}`);
    const { database } = scene.stack;
    const { running } = await database.transaction().execute(async (removal) => {
      // The link has found the account, and reads its second factors.
      const used = stoppedAt(database, 'portal_passkeys', [() => scene.activate(open)], () =>
        disableAccount(removal, account.id),
      );
      await untilBlockedBy(removal, database, 1);
      return { running: used };
    });
    const [{ answer } = { answer: undefined }] = await running;
    expect(answer?.status).toBe(404);
    const [after] = await scene.operator.json(`access account list --merchant ${id}`);
    expect(after.disabledAt).not.toBeNull();
  });

  test('gives no account at a merchant that is deleted while it is used', async () => {
    const { id, path } = await scene.invited();
    const { database } = scene.stack;
    const { running } = await database.transaction().execute(async (deletion) => {
      await lockForDeletion(deletion, 'merchants', id);
      const used = scene.activate(path);
      await untilBlockedBy(deletion, database, 1);
      await deletion
        .updateTable('merchants')
        .set({ status: 'DEACTIVATED' })
        .where('id', '=', id)
        .execute();
      await markDeleted(deletion, 'merchants', id, true);
      return { running: used };
    });
    expect((await running).answer.status).toBe(404);
    const accounts = database.selectFrom('portal_accounts').where('merchant_id', '=', id);
    expect(await accounts.select('email').execute()).toEqual([]);
  });

  test('does not take an account of another company', async () => {
    const { path, email, invitationId } = await scene.invited();
    const other = await scene.newMerchant();
    await scene.operator.json(`access account create --email ${email} --merchant ${other.id}`);
    expect((await scene.activate(path)).answer.status).toBe(404);
    expect((await scene.invitationRow(invitationId)).status).toBe('OPEN');
  });
});

test('links are throttled by address, and their tokens stand in no log, database or history', async () => {
  await forgetAttempts();
  const { path, invitationId, phone } = await scene.invited();
  await scene.untilSent(invitationId);
  const token = path.split('/').at(-1) ?? '';
  canary.add('token', token);
  const visitor = portalClient({
    url: logged.url,
  });
  const answer = await visitor.submit(path, path, { 'new-password': PASSWORD });
  expect(answer.status).toBe(303);
  const statuses = [];
  for (let looks = 0; looks < 8; looks += 1) statuses.push((await visitor.get(path)).status);
  expect(statuses).toEqual([404, 404, 404, 404, 404, 404, 429, 429]);
  await visitor.get(`${path}/more`);
  await visitor.request(path, { method: 'PUT' });
  expect(logged.log()).toContain('"route":"/portal/activate/:token"');
  expect(canary.foundIn(logged.log())).toEqual([]);
  expect(logged.log()).not.toContain(phone);
  expect(await secretsInDatabase(scene.stack.database, canary)).toEqual([]);
  const { temporalAddress: address, temporalTaskQueue: taskQueue } = scene.stack.config.temporal;
  const { found } = await secretsInHistories({ address, taskQueue }, canary);
  expect(found).toEqual([]);
});
