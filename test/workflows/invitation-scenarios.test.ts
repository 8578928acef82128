import { WorkflowFailedError } from '@temporalio/client';
import { type ApplicationFailure, defineSearchAttributeKey } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tellOwnersId } from '../../workflows/workflow-ids.ts';
import { setInvitationScene } from '../pages/portal/invitation-scene.ts';
import { makeAccount } from '../pages/portal/portal-client.ts';
import { until } from '../support/until.ts';
import { ended as endedIn } from './ended.ts';
import { TEST_PAYLOAD_KEYS } from './payload-keys.ts';

/** Every branch of invite-merchant on the real server; see scenarios.test.ts. */
let scene: Awaited<ReturnType<typeof setInvitationScene>>;
/** Another, where invitations end soon. */
let brief: typeof scene;

beforeAll(async () => {
  [scene, brief] = await Promise.all([
    setInvitationScene({ PAYLOAD_KEYS: TEST_PAYLOAD_KEYS }),
    setInvitationScene({ PAYLOAD_KEYS: TEST_PAYLOAD_KEYS, INVITATION_LIFETIME_SECONDS: '2' }),
  ]);
});
afterAll(async () => {
  await scene?.stop();
  await brief?.stop();
});

const ended = (invitationId: string, history?: string) =>
  endedIn(scene.stack, scene.workflowIdOf(invitationId), history);

const handleOf = (invitationId: string) =>
  scene.stack.temporal.client.workflow.getHandle(scene.workflowIdOf(invitationId));

const needsAction = async (invitationId: string) => {
  const { typedSearchAttributes } = await handleOf(invitationId).describe();
  return typedSearchAttributes.get(defineSearchAttributeKey('NeedsAction', 'BOOL'));
};

describe('invite-merchant', () => {
  it('ends used as soon as the link was', async () => {
    const { path, invitationId } = await scene.invited();
    await scene.untilSent(invitationId);
    await scene.activate(path);
    expect(await ended(invitationId)).toEqual({ ended: 'used' });
  });

  it('ends replaced as soon as the next invitation begins', async () => {
    const { id, invitationId } = await scene.invited();
    await scene.untilSent(invitationId);
    const second = await scene.invite(id);
    expect(await ended(invitationId)).toEqual({ ended: 'replaced' });
    await scene.untilSent(second);
    await scene.invite(id);
    // It has told the first invitation, and is told by the third one.
    expect(await ended(second, 'invite-merchant-replaced')).toEqual({ ended: 'replaced' });
  });

  it('ends expired by its timer, and the link is dead', async () => {
    const { path, invitationId } = await brief.invited();
    const workflowId = brief.workflowIdOf(invitationId);
    const result = await endedIn(brief.stack, workflowId, 'invite-merchant-expired');
    expect(result).toEqual({ ended: 'expired' });
    expect(await brief.invitationRow(invitationId)).toMatchObject({
      status: 'EXPIRED',
      token_ciphertext: null,
    });
    expect((await brief.activate(path)).opened.status).toBe(404);
  });

  it('goes on when one message is refused', async () => {
    const { id, path, invitationId, phone } = await scene.invited({ suffix: '002' });
    await scene.untilSent(invitationId);
    expect(await scene.texts(phone)).toEqual([]);
    const [listed] = await scene.operator.json(`list invitations --merchant ${id}`);
    expect(listed).toMatchObject({ status: 'OPEN', sms: 'REFUSED', mail: 'SENT' });
    await scene.activate(path);
    expect(await ended(invitationId)).toEqual({ ended: 'used' });
    expect(await needsAction(invitationId)).toBeUndefined();
  });

  it('is red when no message was delivered, and the link is dead', async () => {
    const { id, email } = await scene.newMerchant({ mailbox: 'refused', suffix: '002' });
    const invitationId = await scene.invite(id);
    await scene.untilStatus(invitationId, 'UNDELIVERED');
    const error = await ended(invitationId, 'invite-merchant-undelivered');
    expect(error).toBeInstanceOf(WorkflowFailedError);
    const { message } = (error as WorkflowFailedError).cause as ApplicationFailure;
    expect(message).toContain(`The invitation of merchant ${id} reached nobody`);
    expect(message).toContain('e-mail: not sent (The mail server answered 550)');
    expect(message).not.toContain(email);
    expect(await needsAction(invitationId)).toBe(true);
    const row = await scene.invitationRow(invitationId);
    expect(row).toMatchObject({ status: 'UNDELIVERED', token_ciphertext: null });
    const [listed] = await scene.operator.json(`list invitations --merchant ${id}`);
    expect(listed).toMatchObject({ sms: 'REFUSED', mail: 'REFUSED' });
  });

  it('tells a person while nobody knows whether a message arrived', async () => {
    const { id, path, invitationId } = await scene.invited({ mailbox: 'dropped', suffix: '002' });
    await scene.untilSent(invitationId);
    await until(async () => expect(await needsAction(invitationId)).toBe(true));
    const [listed] = await scene.operator.json(`list invitations --merchant ${id}`);
    expect(listed).toMatchObject({ sms: 'REFUSED', mail: 'UNKNOWN' });
    await scene.activate(path);
    expect(await ended(invitationId, 'invite-merchant-unknown')).toEqual({ ended: 'used' });
    expect(await needsAction(invitationId)).toBe(false);
  });

  it('tries again what was not taken, and goes on when Temporal has lost it', async () => {
    const { id } = await scene.newMerchant({ mailbox: 'busy', suffix: '000' });
    const invitationId = await scene.invite(id);
    await until(async () => {
      const [listed] = await scene.operator.json(`list invitations --merchant ${id}`);
      expect(listed).toMatchObject({ sms: 'SENT', mail: 'QUEUED' });
      expect(listed.mailMessage).toContain('451');
    });
    await handleOf(invitationId).terminate('lost');
    await scene.stack.database
      .updateTable('merchant_invitations')
      .set({
        email: `owner-${invitationId}@coffee.example`,
        created_at: new Date(Date.now() - 120_000),
      })
      .where('id', '=', invitationId)
      .execute();
    const path = await scene.mailedPath(`owner-${invitationId}@coffee.example`);
    await scene.untilSent(invitationId);
    expect((await scene.activate(path)).answer.status).toBe(303);
    expect(await ended(invitationId)).toEqual({ ended: 'used' });
  });
});

it('tell-owners ends when the e-mails about a changed access are sent', async () => {
  const { stack } = scene;
  const { id, email } = await scene.newMerchant();
  await makeAccount(stack, { kind: 'merchant', id }, { email });
  await scene.operator.json(`register address 203.0.113.7 --merchant ${id}`);
  const auditId = await until(async () => {
    const { audit_id } = await stack.database
      .selectFrom('access_notices')
      .innerJoin('audit_log', 'audit_log.id', 'audit_id')
      .select('audit_id')
      .where('subject_id', '=', id)
      .executeTakeFirstOrThrow();
    return audit_id;
  });
  const workflowId = tellOwnersId(auditId, stack.config.temporal.temporalTaskQueue);
  await until(() => stack.temporal.client.workflow.getHandle(workflowId).describe());
  expect(await endedIn(stack, workflowId, 'tell-owners')).toEqual({ ended: 'told' });
  const [mail] = await scene.mails(email);
  expect(mail?.text).toContain('Registered the address 203.0.113.7');
  expect(mail?.text).toContain('Who:  An operator');
});
