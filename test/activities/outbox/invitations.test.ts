import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setInvitationScene } from '../../pages/portal/invitation-scene.ts';
import { breakStatement } from '../../support/database-faults.ts';
import { until } from '../../support/until.ts';

/** How invitations end, by what becomes of their messages. */
let scene: Awaited<ReturnType<typeof setInvitationScene>>;
/** Another, where invitations end soon. */
let brief: typeof scene;

beforeAll(async () => {
  [scene, brief] = await Promise.all([
    setInvitationScene(),
    setInvitationScene({ INVITATION_LIFETIME_SECONDS: '2' }),
  ]);
});
afterAll(async () => {
  await scene?.stop();
  await brief?.stop();
});

const undelivered = async (email: string) => {
  const all = await scene.operator.json('desk list-undelivered-emails');
  return all.filter((one: { email: string }) => one.email === email);
};

test('the next invitation ends the one before, and the messages that it has left', async () => {
  const { id } = await scene.newMerchant({ mailbox: 'busy' });
  const first = await scene.invite(id);
  await until(async () => {
    const [listed] = await scene.operator.json(`merchant list-invitations ${id}`);
    expect(listed).toMatchObject({ sms: 'SENT', mail: 'QUEUED' });
    expect(listed.mailMessage).toContain('451');
  });
  await scene.invite(id);
  expect(await scene.invitationRow(first)).toMatchObject({
    status: 'REPLACED',
    token_ciphertext: null,
  });
  await until(async () => {
    const [, listed] = await scene.operator.json(`merchant list-invitations ${id}`);
    expect(listed).toMatchObject({ mail: 'CANCELLED', mailMessage: 'The invitation has ended' });
  });
});

test('one that expires is ended by the expiry run, and its link is dead', async () => {
  const { path, invitationId } = await brief.invited();
  const { temporal, config } = brief.stack;
  await until(async () => {
    await temporal.client.workflow.execute('expireVouchers', {
      workflowId: `expiry-${randomUUID()}`,
      taskQueue: config.temporal.temporalTaskQueue,
    });
    expect(await brief.invitationRow(invitationId)).toMatchObject({
      status: 'EXPIRED',
      token_ciphertext: null,
    });
  });
  expect((await brief.activate(path)).opened.status).toBe(404);
});

test('one goes on when one message is refused, and is no alert', async () => {
  const { id, path, invitationId, phone, email } = await scene.invited({ suffix: '002' });
  await scene.untilSent(invitationId);
  expect(await scene.texts(phone)).toEqual([]);
  const [listed] = await scene.operator.json(`merchant list-invitations ${id}`);
  expect(listed).toMatchObject({ status: 'OPEN', sms: 'REFUSED', mail: 'SENT' });
  expect(await undelivered(email)).toEqual([]);
  expect((await scene.activate(path)).answer.status).toBe(303);
  await scene.untilStatus(invitationId, 'USED');
});

test('one is not delivered when no message was, and the link is dead', async () => {
  const { id, email } = await scene.newMerchant({ mailbox: 'refused', suffix: '002' });
  const invitationId = await scene.invite(id);
  const row = await scene.untilStatus(invitationId, 'UNDELIVERED');
  expect(row.token_ciphertext).toBeNull();
  const [listed] = await scene.operator.json(`merchant list-invitations ${id}`);
  expect(listed).toMatchObject({
    sms: 'REFUSED',
    mail: 'REFUSED',
    mailMessage: 'The mail server answered 550.',
  });
  expect(await undelivered(email)).toMatchObject([
    { queue: 'invitations', companyKind: 'merchant', companyId: id, outcome: 'REFUSED' },
  ]);
});

test('a person is told while nobody knows whether a message arrived', async () => {
  const { id, path, invitationId, email } = await scene.invited({
    mailbox: 'dropped',
    suffix: '002',
  });
  await scene.untilSent(invitationId);
  const [listed] = await scene.operator.json(`merchant list-invitations ${id}`);
  expect(listed).toMatchObject({ status: 'OPEN', sms: 'REFUSED', mail: 'UNKNOWN' });
  expect(await undelivered(email)).toMatchObject([{ queue: 'invitations', outcome: 'UNKNOWN' }]);
  expect((await scene.activate(path)).answer.status).toBe(303);
  expect(await undelivered(email)).toEqual([]);
});

test('an e-mail that was not taken is tried again, and given up after half an hour', async () => {
  const { database } = scene.stack;
  const { id } = await scene.newMerchant({ mailbox: 'busy', suffix: '002' });
  const invitationId = await scene.invite(id);
  const mail = () =>
    database
      .selectFrom('outbox')
      .select(['state', 'attempts', 'give_up_at', 'created_at'])
      .where('subject', '=', invitationId)
      .where('channel', '=', 'EMAIL')
      .executeTakeFirstOrThrow();
  await until(async () => expect((await mail()).attempts).toBeGreaterThan(1));
  const { give_up_at: giveUpAt, created_at: createdAt } = await mail();
  const minutes = (Number(giveUpAt) - Number(createdAt)) / 60_000;
  expect(Math.round(minutes)).toBe(30);
  await database
    .updateTable('outbox')
    .set({ give_up_at: new Date() })
    .where('subject', '=', invitationId)
    .execute();
  await scene.untilStatus(invitationId, 'UNDELIVERED');
  expect(await mail()).toMatchObject({ state: 'GIVEN_UP' });
});

test('a message that the database refuses keeps no other one waiting', async () => {
  const { id, email } = await scene.newMerchant();
  const mend = await breakStatement(scene.stack.database, {
    table: 'outbox',
    on: 'update',
    when: `new.channel = 'SMS' and new.recipient = ${id}`,
    code: '42501',
  });
  const invitationId = await scene.invite(id);
  await scene.mailedPath(email);
  const { invitationId: other } = await scene.invited();
  await scene.untilSent(other);
  const [listed] = await scene.operator.json(`merchant list-invitations ${id}`);
  expect(listed).toMatchObject({ sms: 'QUEUED' });
  await mend();
  await scene.untilSent(invitationId);
});
