import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addRoute } from '../../../src/db/providers.ts';
import { setInvitationScene } from '../../pages/portal/invitation-scene.ts';
import { makeAccount } from '../../pages/portal/portal-client.ts';
import { call } from '../../support/clients.ts';
import { until } from '../../support/until.ts';

/** Each recipient, and each way of sending, for itself. */
let scene: Awaited<ReturnType<typeof setInvitationScene>>;

beforeAll(async () => {
  scene = await setInvitationScene();
});
afterAll(() => scene?.stop());

test('an owner whose mailbox takes nothing for now repeats the notice to no other owner', async () => {
  const { stack } = scene;
  const { id } = await scene.newMerchant();
  const company = { kind: 'merchant', id } as const;
  const [first, busy] = [`owner-${randomUUID()}@mail.example`, `busy-${randomUUID()}@mail.example`];
  for (const email of [first, busy]) await makeAccount(stack, company, { email });
  await scene.operator.json(`access address add 203.0.113.7 --merchant ${id}`);
  await until(async () => expect(await scene.mails(first)).toHaveLength(1));
  // Time for further attempts at the mailbox that takes nothing.
  await sleep(2_000);
  const free = `free-${randomUUID()}@mail.example`;
  await stack.database
    .updateTable('portal_accounts')
    .set({ email: free })
    .where('email', '=', busy)
    .execute();
  const [mail] = await until(async () => {
    const mails = await scene.mails(free);
    expect(mails).toHaveLength(1);
    return mails;
  });
  expect(mail?.text).toContain('Registered the address 203.0.113.7');
  expect(mail?.text).toContain('Who:  An operator');
  expect(await scene.mails(first)).toHaveLength(1);
});

test('an invitation by SMS goes to the next provider where the first one takes no calls', async () => {
  const { stack } = scene;
  const none = { operator: null, partner_id: null, merchant_id: null };
  const always = { ...none, amount_from: null, amount_to: null };
  for (const [provider, position] of [
    ['africas-talking', 1],
    ['smpp', 2],
  ] as const)
    await stack.database
      .transaction()
      .execute((transaction) =>
        addRoute(transaction, { kind: 'sms', provider, position, ...always }),
      );
  const fault = await call(`${stack.sandbox.url}/faults/africas-talking`, {
    method: 'PUT',
    body: { answers: 'not-authorised' },
  });
  expect(fault.status).toBe(200);
  const { id, invitationId, phone } = await scene.invited();
  await scene.untilSent(invitationId);
  expect(stack.sandbox.books.messages(phone).map(({ provider }) => provider)).toEqual(['smpp']);
  expect(await scene.operator.json(`merchant list-invitations ${id}`)).toMatchObject([
    { status: 'OPEN', sms: 'SENT', smsProvider: 'smpp' },
  ]);
});
