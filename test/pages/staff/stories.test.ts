import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { generateBulkId } from '../../../workflows/workflow-ids.ts';
import { done, type Gift } from '../../end-to-end/gift/gift-scene.ts';
import {
  type RedemptionScene,
  setRedemptionScene,
} from '../../end-to-end/gift/redemption-scene.ts';
import { call } from '../../support/clients.ts';
import { until } from '../../support/until.ts';
import { staffClient } from './staff-client.ts';

/** What staff read of reversals that have not ended or were refused, and of a voucher out of a bulk order. */
const TEMPORAL_UI_URL = 'https://temporal.example';

let scene: RedemptionScene;
let agent: Awaited<ReturnType<typeof staffClient>>;

beforeAll(async () => {
  scene = await setRedemptionScene({ TEMPORAL_UI_URL, CALLER_WAIT_SECONDS: '2' });
  agent = await staffClient(scene.stack);
});
afterAll(() => scene?.stop());

/** The words of a case, without the tags. */
const read = async ({ id }: Pick<Gift, 'id'>): Promise<string> =>
  (await agent.client.get(`/support/vouchers/${id}`)).html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/\s+/g, ' ');

/** A redemption of ETB 200 out of 500 whose reversal the sandbox ends by the number that was paid. */
async function reversing(payoutSuffix: string) {
  const { merchant, client } = await scene.payee('merchant', { payoutSuffix });
  const gift = await scene.gift({ denomination: 500, merchant });
  await scene.redeemed(client, gift, { amount: 200 });
  const { database, sandbox } = scene.stack;
  const { id } = await database
    .selectFrom('redemptions')
    .select('id')
    .where('voucher_id', '=', gift.id)
    .executeTakeFirstOrThrow();
  await client.post(`/redemptions/${id}/reverse`, {});
  const settle = async (status: 'completed' | 'failed') => {
    const [reversal] = sandbox.books.reversals({ to: merchant.payoutNumber });
    done(await call(`${sandbox.url}/books/reversals/${reversal?.reference}`, { body: { status } }));
  };
  return { gift, settle };
}

test('a reversal that the provider has not confirmed, and then refuses', async () => {
  const { gift, settle } = await reversing('023');
  const pending = await read(gift);
  expect(pending).toMatch(
    /asked to reverse redemption RDM-\w+\. The provider has not confirmed it/,
  );
  expect(pending).toContain(
    'The payment is being taken back: the provider has not confirmed it yet.',
  );
  expect(pending).not.toContain('The payment stands');
  await settle('failed');
  const refused = await until(async () => {
    const words = await read(gift);
    expect(words).toContain('The provider refused the reversal');
    return words;
  });
  expect(refused).toMatch(/The provider refused the reversal: .+\. The payment stands\./);
  expect(refused).toMatch(
    /The provider did not take the payment back, so it stands\. Next\s?Ask the merchant to pay the owner back\./,
  );
  expect(refused).not.toContain('has not confirmed it');
});

test('a reversal stays at its provider, where another one paid later', async () => {
  const { gift } = await reversing('023');
  const { database } = scene.stack;
  await sql`
    insert into placements (kind, reference, provider, operation_id, voucher_id, ordered, position, said, done, said_at)
    select kind, reference, 'mpesa', operation_id, voucher_id, ordered, 2, 'done', ordered, now()
    from placements where voucher_id = ${gift.id} and kind = 'payment'`.execute(database);
  expect(await read(gift)).toContain('not confirmed it yet. GSMA mobile money was asked');
  await sql`
    update redemption_reversals set needs_action_since = now()
    where redemption_id in (select id from redemptions where voucher_id = ${gift.id})`.execute(
    database,
  );
  expect(await read(gift)).toMatch(
    /Ask GSMA mobile money whether it took this payment back, and quote \S+\. Then book the answer:/,
  );
  // The books know of no second payment.
  await sql`
    delete from placements where voucher_id = ${gift.id} and provider = 'mpesa'`.execute(database);
});

test('the story of a voucher out of a bulk order leads to the workflow of the order', async () => {
  const { partner, merchant, asPartner, stack } = scene;
  const line = {
    reference: 'shop-1',
    denominationId: partner.denominations[100],
    merchantId: merchant.id,
    msisdn: '+251911234567',
  };
  const ordered = done(await asPartner.post('/vouchers/bulk', { lines: [line] }));
  const order = await stack.database
    .selectFrom('bulk_orders')
    .select(['id', 'operation_id'])
    .where('id', '=', Number(ordered.body.data.bulkOrder.id))
    .executeTakeFirstOrThrow();
  const voucher = await until(() =>
    stack.database
      .selectFrom('bulk_lines')
      .select('voucher_id')
      .where('bulk_order_id', '=', order.id)
      .where('voucher_id', 'is not', null)
      .executeTakeFirstOrThrow(),
  );
  const { html } = await agent.client.get(`/support/vouchers/${voucher.voucher_id}`);
  const workflowId = generateBulkId(order.id, order.operation_id);
  expect(html).toContain(`/workflows/${encodeURIComponent(workflowId)}"`);
  expect(await stack.temporal.client.workflow.getHandle(workflowId).result()).toBeDefined();
});
