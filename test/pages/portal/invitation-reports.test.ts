import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { setInvitationScene } from './invitation-scene.ts';

/** What the SMS provider reports about the text messages of invitations. */
let scene: Awaited<ReturnType<typeof setInvitationScene>>;

beforeAll(async () => {
  scene = await setInvitationScene();
  const { sandbox, url } = scene.stack;
  sandbox.postSmsReportsTo(`${url}/callbacks/africas-talking`);
});
afterAll(() => scene?.stop());

test.each([
  ['was delivered', '000', { smsDelivery: 'DELIVERED', smsDeliveryReason: null }],
  [
    'was delivered, reported before the answer',
    '010',
    { smsDelivery: 'DELIVERED', smsDeliveryReason: null },
  ],
  [
    'was not delivered',
    '015',
    { smsDelivery: 'NOT_DELIVERED', smsDeliveryReason: 'DeliveryFailure' },
  ],
  ['is not reported about', '012', { smsDelivery: null, smsDeliveryReason: null }],
])('one that %s', async (_what, suffix, reported) => {
  const { id, invitationId } = await scene.invited({ suffix });
  await scene.untilSent(invitationId);
  await until(async () =>
    expect(await scene.operator.json(`merchant list-invitations ${id}`)).toMatchObject([
      { status: 'OPEN', sms: 'SENT', smsProvider: 'africas-talking', mail: 'SENT', ...reported },
    ]),
  );
});

test('a list for people says it in words', async () => {
  const { id, invitationId } = await scene.invited({ suffix: '015' });
  await scene.untilSent(invitationId);
  await until(async () => {
    const { out } = await scene.operator.admin(`merchant list-invitations ${id}`);
    expect(out).toMatch(/\(sent\).*not delivered: DeliveryFailure/);
  });
});
