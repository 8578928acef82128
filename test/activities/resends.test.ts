import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ActivityDependencies } from '../../activities/dependencies.ts';
import { createResendActivities } from '../../activities/vouchers/resend.ts';
import type { ResendMessageCommand } from '../../workflows/contracts.ts';
import { type GiftScene, setGiftScene } from '../end-to-end/gift/gift-scene.ts';

let scene: GiftScene;
beforeAll(async () => {
  scene = await setGiftScene();
});
afterAll(() => scene?.stop());

it('a refused resend is uncounted once, on its own day, however often its end is repeated', async () => {
  const { database } = scene.stack;
  const company = { kind: 'partner', id: scene.partner.id } as const;
  const requestId = randomUUID();
  const operationId = randomUUID().replaceAll('-', '');
  const today = new Date().toISOString().slice(0, 10);
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const ofCompany = { company_kind: company.kind, company_id: company.id };
  await database
    .insertInto('company_daily_counts')
    .values([today, yesterday].map((day) => ({ ...ofCompany, day, messages: 3 })))
    .execute();
  await database
    .insertInto('operations')
    .values({
      ...{
        id: operationId,
        kind: 'resend-message',
        status: 'RUNNING',
        request_id: requestId,
        request_digest: 'd',
      },
      ...ofCompany,
      created_at: new Date(`${yesterday}T23:59:59Z`),
    })
    .execute();
  const { settleResend } = createResendActivities({ database } as unknown as ActivityDependencies);
  const settle = () =>
    settleResend(
      { operationId, requestId, requestDigest: 'd', company } as unknown as ResendMessageCommand,
      { messageId: '0', messageKind: 'VERIFICATION_CODE' } as never,
      { kind: 'refused', message: 'no such number' } as never,
    );
  const refused = { result: { ok: false, reason: 'message-not-queued' } };
  expect(await settle()).toMatchObject(refused);
  expect(await settle()).toMatchObject(refused);
  const counts = await database
    .selectFrom('company_daily_counts')
    .select(['day', 'messages'])
    .where('company_id', '=', company.id)
    .where('company_kind', '=', company.kind)
    .orderBy('day')
    .execute();
  expect(counts.map(({ messages }) => messages)).toEqual([2, 3]);
});
