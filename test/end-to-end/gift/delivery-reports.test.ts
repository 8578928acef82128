import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findCases } from '../../../src/db/support-search.ts';
import { staffClient } from '../../pages/staff/staff-client.ts';
import { startRawServer } from '../../providers/raw-server.ts';
import { call } from '../../support/clients.ts';
import { until } from '../../support/until.ts';
import { detailsOf } from '../../workflows/details-of.ts';
import { CLAIM, done, type Gift, newOwner, REDEEM, settled } from './gift-scene.ts';
import { type RedemptionScene, setRedemptionScene } from './redemption-scene.ts';

/** What providers report about messages that they have taken (issue of providers, F26). */

const SECRET = 'a-path-that-nobody-guesses';

const messageOf = (scene: RedemptionScene, gift: Gift) =>
  scene.stack.database
    .selectFrom('messages')
    .select(['id', 'status', 'provider', 'provider_reference', 'delivery', 'delivery_reason'])
    .where('voucher_id', '=', gift.id)
    .where('kind', '=', 'VERIFICATION_CODE')
    .orderBy('id')
    .executeTakeFirstOrThrow();

const earlyReports = (scene: RedemptionScene) =>
  scene.stack.database.selectFrom('early_delivery_reports').selectAll().execute();

async function claimed(scene: RedemptionScene, suffix: string): Promise<Gift> {
  const gift = await scene.gift({ owner: newOwner(suffix) });
  done(await settled(scene.asMerchant, CLAIM, { voucherCode: gift.voucherCode }));
  return gift;
}

/** The Temporal UI's words about the claim of a gift. */
async function wordsOf(scene: RedemptionScene, gift: Gift): Promise<string> {
  const claim = await scene.stack.database
    .selectFrom('voucher_claims')
    .select(['workflow_id as workflowId', 'operation_id as operationId'])
    .where('voucher_id', '=', gift.id)
    .executeTakeFirstOrThrow();
  return detailsOf(scene.stack.temporal.client.workflow.getHandle(claim.workflowId));
}

const adapters = {
  'africas-talking': { CALLBACK_SECRETS: `africas-talking=${SECRET},mpesa=${SECRET}` },
  smpp: { SMS_PROVIDER: 'smpp' },
} as const;

describe.each(Object.keys(adapters) as (keyof typeof adapters)[])('%s', (provider) => {
  let scene: RedemptionScene;
  beforeAll(async () => {
    scene = await setRedemptionScene(adapters[provider]);
    scene.stack.sandbox.postSmsReportsTo(`${scene.stack.url}/callbacks/africas-talking/${SECRET}`);
  });
  afterAll(() => scene?.stop());

  const early = [['whose report came before the answer', '010']];
  // The order of reports is looked at for one provider: those of both are recorded alike.
  const inOrders = [
    ...[...early, ['that is delivered', '050']],
    ...[
      ['whose report came twice', '011'],
      ['whose reports came out of order', '013'],
    ],
  ];
  test.concurrent.each(provider === 'smpp' ? early : inOrders)(
    'a code %s',
    async (_what, suffix) => {
      const gift = await claimed(scene, suffix);
      await until(async () =>
        expect(await messageOf(scene, gift)).toMatchObject({
          status: 'SENT',
          provider,
          delivery: 'DELIVERED',
          delivery_reason: null,
        }),
      );
      expect(scene.stack.sandbox.books.messages(gift.owner ?? '')).toHaveLength(1);
      await until(async () =>
        expect(await wordsOf(scene, gift)).toContain('The code was delivered to the owner'),
      );
    },
  );

  test.concurrent('a code whose report was lost is sent, and no more is known', async () => {
    const gift = await claimed(scene, '012');
    expect(await messageOf(scene, gift)).toMatchObject({ status: 'SENT', delivery: null });
  });

  test.concurrent('a code that was not delivered says so, and its claim goes on', async () => {
    const gift = await claimed(scene, '015');
    const reason = { 'africas-talking': 'DeliveryFailure', smpp: 'UNDELIV, error 011' }[provider];
    await until(async () =>
      expect(await messageOf(scene, gift)).toMatchObject({
        status: 'SENT',
        delivery: 'NOT_DELIVERED',
        delivery_reason: reason,
      }),
    );
    await until(async () => {
      const words = await wordsOf(scene, gift);
      expect(words).toContain('**The code was not delivered**');
      expect(words).toContain(reason);
    });
    expect(await scene.voucher(gift)).toMatchObject({ status: 'REDEEM_INITIATED' });

    const { provider_reference: reference } = await messageOf(scene, gift);
    const { cases } = await findCases(scene.stack.database, { reference: reference ?? '' }, 5);
    expect(cases).toMatchObject([{ kind: 'voucher', id: gift.id }]);
    const { client: agent } = await staffClient(scene.stack);
    const { html } = await agent.get(`/support/vouchers/${gift.id}`);
    expect(html).toMatch(/The code for \S+ was not delivered: <span lang="en">/);
    expect(html).toContain('then “Send the message again”');
  });

  test.concurrent('a code that is refused takes the claim back', async () => {
    const gift = await scene.gift({ owner: newOwner('002') });
    const { body } = await settled(scene.asMerchant, CLAIM, { voucherCode: gift.voucherCode });
    expect(body).toMatchObject({ success: false, statusCode: 5003 });
    expect(await scene.voucher(gift)).toMatchObject({ status: 'ACTIVE' });
    expect(scene.stack.sandbox.books.messages(gift.owner ?? '')).toHaveLength(0);
  });

  // The second drops the session again with its confirmation, and whatever is on its way.
  test.each(['009', '008'])(
    'a code that was sent without an answer (%s) is sent once, and is good',
    async (suffix) => {
      const gift = await scene.gift({ owner: newOwner(suffix) });
      const { voucherCode } = gift;
      const answer = done(await settled(scene.asMerchant, CLAIM, { voucherCode }));
      expect(answer.body.message).toBe('Verification code being sent');
      // Where the session was lost, it goes out with the next one.
      await until(async () =>
        expect(await messageOf(scene, gift)).toMatchObject({ status: 'UNKNOWN' }),
      );
      const [message, ...others] = scene.stack.sandbox.books.messages(gift.owner ?? '');
      expect(others).toEqual([]);
      const [verificationCode] = /\d{6}/.exec(message?.text ?? '') ?? [];
      done(await settled(scene.asMerchant, REDEEM, { voucherCode, verificationCode }));
    },
  );

  test('nothing is left of reports that no message is waiting for', async () => {
    const messages = await scene.stack.database
      .selectFrom('messages')
      .select(['status', 'provider_reference', 'delivery'])
      .execute();
    const references = (await earlyReports(scene)).map((kept) => kept.provider_reference);
    const known = messages.filter((one) => references.includes(one.provider_reference ?? ''));
    // A busy machine records other answers after their reports, too: each kept report has been heard.
    expect(known.length).toBeGreaterThan(0);
    expect(known.filter(({ delivery }) => delivery === null)).toEqual([]);
    // The report of a message without an answer may have come while it was being sent.
    const unanswered = messages.filter(({ status }) => status === 'UNKNOWN');
    expect(references.length - known.length).toBeLessThanOrEqual(unanswered.length);
  });

  if (provider !== 'africas-talking') return;

  const report = (fields: Record<string, string>, path = `/${SECRET}`) =>
    fetch(`${scene.stack.url}/callbacks/africas-talking${path}`, {
      method: 'POST',
      body: new URLSearchParams(fields),
    });

  test('an early report that the code was not delivered is known to the claim that waits', async () => {
    const path = `${scene.stack.url}/callbacks/africas-talking/${SECRET}`;
    // Says of each report, which precedes the answer here, that the message was not delivered.
    const contradict = async (request: IncomingMessage, response: ServerResponse) => {
      const fields = new URLSearchParams(await text(request));
      fields.set('status', 'Failed');
      fields.set('failureReason', 'DeliveryFailure');
      await fetch(path, { method: 'POST', body: fields });
      response.end();
    };
    const contradicting = await startRawServer((...exchange) => void contradict(...exchange));
    scene.stack.sandbox.postSmsReportsTo(contradicting.url);
    const gift = await claimed(scene, '010');
    scene.stack.sandbox.postSmsReportsTo(path);
    await contradicting.close();
    expect(await messageOf(scene, gift)).toMatchObject({
      status: 'SENT',
      delivery: 'NOT_DELIVERED',
    });
    await until(async () => {
      const words = await wordsOf(scene, gift);
      expect(words).toContain('**The code was not delivered**: DeliveryFailure');
      expect(words).toContain('send it again');
    });
  });

  test('reports come in any order and often: delivered stays', async () => {
    for (const statuses of [
      ['Success', 'Failed', 'Sent', 'Success'],
      ['Failed', 'Success'],
      ['failed', 'SUCCESS'],
    ]) {
      const gift = await claimed(scene, '012');
      const { provider_reference: id } = await messageOf(scene, gift);
      for (const status of statuses)
        expect((await report({ id: id ?? '', phoneNumber: gift.owner ?? '', status })).status).toBe(
          200,
        );
      expect(await messageOf(scene, gift)).toMatchObject({
        delivery: 'DELIVERED',
        delivery_reason: null,
      });
    }
  });

  test('a report counts under its secret path alone, and must be a form', async () => {
    const gift = await claimed(scene, '012');
    const { provider_reference } = await messageOf(scene, gift);
    const fields = { id: provider_reference ?? '', phoneNumber: '', status: 'Failed' };
    for (const path of ['', '/another-path-altogether'])
      expect((await report(fields, path)).status).toBe(404);
    const json = await call(`${scene.stack.url}/callbacks/africas-talking/${SECRET}`, {
      body: fields,
    });
    expect(json.status).toBe(415);
    expect((await report({ status: 'Failed' })).status).toBe(400);
    expect(await messageOf(scene, gift)).toMatchObject({ delivery: null });
  });

  test('a report about no message of ours leaves nothing behind', async () => {
    const gift = await claimed(scene, '012');
    const { id } = await messageOf(scene, gift);
    const set = (values: { status: 'SENDING' | 'SENT'; settled_at: Date | null }) =>
      scene.stack.database.updateTable('messages').set(values).where('id', '=', id).execute();
    const before = await earlyReports(scene);
    // While a message to another number is on its way, for as long as this takes.
    await set({ status: 'SENDING', settled_at: null });
    expect(
      (await report({ id: 'ATXid_1', phoneNumber: '+251911999999', status: 'Success' })).status,
    ).toBe(200);
    expect(await earlyReports(scene)).toEqual(before);
    await set({ status: 'SENT', settled_at: new Date() });
  });
});
