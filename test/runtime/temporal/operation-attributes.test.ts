import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { done, newOwner } from '../../end-to-end/gift/gift-scene.ts';
import { redeem } from '../../end-to-end/gift/redemption-scene.ts';
import { consent } from '../../end-to-end/repairs/repair-desk.ts';
import { type RepairScene, setRepairScene } from '../../end-to-end/repairs/repair-scene.ts';
import { takenBack } from '../../positions/placements.ts';
import { NUMBER_IN_CLEAR } from '../../support/number-in-clear.ts';
import { until } from '../../support/until.ts';
import { createStarts, expected, hasAll, type Starts } from './start-attributes.ts';

/** Those of told-attributes.test.ts. */
const STARTED_ELSEWHERE = ['check-payout-account', 'deliver-webhooks'];

let scene: RepairScene;
let found: Starts['found'];
let startedWith: Starts['startedWith'];
beforeAll(async () => {
  scene = await setRepairScene();
  ({ found, startedWith } = createStarts(scene.stack));
});
afterAll(() => scene?.stop());

const serialOf = async (id: number): Promise<string> =>
  (
    await scene.stack.database
      .selectFrom('vouchers')
      .select('serial_number')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  ).serial_number;

describe.concurrent('by the API', () => {
  test('a voucher’s workflows are found by its companies, its serial number and its owner', async () => {
    const { stack, partner, asPartner } = scene;
    const { merchant, client } = await scene.payee('merchant');
    const owner = newOwner();
    const gift = await scene.gift({ merchant, owner });
    await scene.claimed(client, gift);
    done(await asPartner.post(`/vouchers/${gift.id}/resend`, {}));
    done(await asPartner.post(`/vouchers/${gift.id}/cancel`, {}));
    const serial = await serialOf(gift.id);
    for (const operation of ['claim', 'resend-message', 'cancel-voucher']) {
      const attributes = await startedWith(operation, `VoucherSerial = "${serial}"`);
      hasAll(operation, attributes);
      expect(attributes, operation).toMatchObject({
        PartnerId: String(partner.id),
        MerchantId: String(merchant.id),
        NumberHash: stack.digests.numberHash(owner),
      });
    }
    const hash = `NumberHash = "${stack.digests.numberHash(owner)}"`;
    hasAll('generate-voucher', await startedWith('generate-voucher', hash));
  });

  test('a reversal is found by its redemption, too', async () => {
    const { merchant, client } = await scene.payee('merchant');
    const gift = await scene.gift({ merchant });
    done(await redeem(client, gift, { verificationCode: await scene.claimed(client, gift) }));
    const { id, platform_reference } = await scene.redemptionOf(gift);
    done(await client.post(`/redemptions/${id}/reverse`, { idempotencyKey: randomUUID() }));
    const attributes = await startedWith('reverse', `Reference = "${platform_reference}"`);
    hasAll('reverse', attributes);
    expect(attributes.VoucherSerial).toBe(await serialOf(gift.id));
  });

  test('what another company asks for has none of the names', async () => {
    const { merchant, client } = await scene.payee('merchant');
    const stranger = await scene.payee('merchant');
    const paid = await scene.gift({ merchant });
    done(await redeem(client, paid, { verificationCode: await scene.claimed(client, paid) }));
    const { id } = await scene.redemptionOf(paid);
    await stranger.client.post(`/redemptions/${id}/reverse`, { idempotencyKey: randomUUID() });
    expect(await startedWith('reverse', `MerchantId = "${stranger.merchant.id}"`)).toEqual({
      Operation: 'reverse',
      Summary: `Reversal of redemption ${id} by merchant ${stranger.merchant.id}`,
      MerchantId: String(stranger.merchant.id),
    });
  });

  test('a redemption without a claim, a bulk order', async () => {
    const { partner, asPartner } = scene;
    const { merchant, client } = await scene.payee('merchant');
    done(await redeem(client, await scene.gift({ owner: null, merchant })));
    hasAll('redeem', await startedWith('redeem', `MerchantId = "${merchant.id}"`));
    done(
      await asPartner.post('/vouchers/bulk', {
        lines: [
          {
            reference: randomUUID(),
            denominationId: partner.denominations[100],
            merchantId: merchant.id,
            msisdn: newOwner(),
          },
        ],
      }),
    );
    hasAll('generate-bulk', await startedWith('generate-bulk', `PartnerId = "${partner.id}"`));
  });

  test('a top-up is found by its number while it runs, and by that of a retry', async () => {
    const { digests } = scene.stack;
    const id = await scene.topupIn('FAILED');
    const attributes = await startedWith('top-up', `TransactionId = "${id}"`);
    hasAll('top-up', attributes);
    const first = String(attributes.NumberHash);
    const other = scene.number('000');
    done(
      await scene.asPartner.post('/topup-transactions/retry-topup', {
        transactionId: id,
        msisdn: other,
      }),
    );
    await until(async () => {
      const now = await found('top-up', `NumberHash = "${digests.numberHash(other)}"`);
      expect(now.map(({ searchAttributes }) => searchAttributes.TransactionId?.[0])).toEqual([
        String(id),
      ]);
    });
    expect(await found('top-up', `NumberHash = "${first}"`)).toEqual([]);
  });
});

describe.concurrent('by repairs', () => {
  test('the repair and what it does are found by the voucher, its companies and its owner', async () => {
    const { stack, partner } = scene;
    const { gift, merchant } = await scene.voucherIn('claimed');
    await scene.repaired('resend-message', gift.id);
    await scene.repaired('cancel-voucher', gift.id);
    const serial = await serialOf(gift.id);
    for (const operation of ['repair', 'resend-message', 'cancel-voucher']) {
      const attributes = await startedWith(operation, `VoucherSerial = "${serial}"`);
      hasAll(operation, attributes);
      expect(attributes, operation).toMatchObject({
        PartnerId: String(partner.id),
        MerchantId: String(merchant.id),
        NumberHash: stack.digests.numberHash(gift.owner ?? ''),
      });
    }
  });

  test('a reversal by a repair has the partner, too', async () => {
    const { gift, merchant } = await scene.voucherIn('redeemed');
    const { id } = await scene.redemptionOf(gift);
    scene.expectDone(await scene.repaired('reverse-redemption', id, consent));
    const query = `VoucherSerial = "${await serialOf(gift.id)}"`;
    expect(await startedWith('reverse', query)).toMatchObject({
      PartnerId: String(scene.partner.id),
      MerchantId: String(merchant.id),
    });
  });

  test('a retry of a top-up', async () => {
    const id = await scene.topupIn('FAILED');
    await scene.repaired('retry-top-up', id, { msisdn: scene.number('000') });
    expect(await startedWith('repair', `TransactionId = "${id}"`)).toMatchObject({
      PartnerId: String(scene.partner.id),
      NumberHash: expect.any(String),
    });
  });
});

test('a case is found by what it is about', async () => {
  const { database, temporal, config } = scene.stack;
  const { gift, merchant } = await scene.voucherIn('redeemed');
  const { id } = await scene.redemptionOf(gift);
  const { payment_reference, operation_id } = await database
    .selectFrom('redemptions')
    .select(['payment_reference', 'operation_id'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  await takenBack(database, operation_id);
  // It fails, so that it is red in the list of workflows.
  await expect(
    temporal.client.workflow.execute('reconcile', {
      workflowId: `reconcile-${randomUUID()}`,
      taskQueue: config.temporal.temporalTaskQueue,
    }),
  ).rejects.toThrow();
  const attributes = await startedWith('case', `Reference = "${payment_reference}"`);
  hasAll('case', attributes);
  expect(attributes).toMatchObject({
    PartnerId: String(scene.partner.id),
    MerchantId: String(merchant.id),
    VoucherSerial: await serialOf(gift.id),
  });
});

describe.concurrent('the row of a list', () => {
  const money = /ETB \d+\.\d\d/;
  const summaryOf = (operation: string, query: string, words: RegExp): Promise<void> =>
    until(async () => {
      const [row] = await found(operation, query);
      const text = String(row?.searchAttributes.Summary?.[0]);
      expect(text).toMatch(words);
      // Search attributes are stored in clear.
      expect(text).not.toMatch(NUMBER_IN_CLEAR);
    });
  const nameOf = async (table: 'partners' | 'merchants', id: number): Promise<string> => {
    const { database } = scene.stack;
    const row =
      table === 'partners'
        ? await database
            .selectFrom(table)
            .select('company_name as name')
            .where('id', '=', id)
            .executeTakeFirstOrThrow()
        : await database
            .selectFrom(table)
            .select('merchant_name as name')
            .where('id', '=', id)
            .executeTakeFirstOrThrow();
    return row.name;
  };

  test('says kind, amount and company of a claim that waits, and of its payment', async () => {
    const { merchant, client } = await scene.payee('merchant');
    const gift = await scene.gift({ merchant });
    const verificationCode = await scene.claimed(client, gift);
    const query = `VoucherSerial = "${await serialOf(gift.id)}"`;
    const [partner, payee] = [
      await nameOf('partners', scene.partner.id),
      await nameOf('merchants', merchant.id),
    ];
    await summaryOf(
      'claim',
      query,
      new RegExp(`^Claim of ${money.source}, voucher of ${partner} for ${payee}$`),
    );
    done(await redeem(client, gift, { verificationCode }));
    await summaryOf('claim', query, new RegExp(`^Payment of ${money.source} to ${payee}$`));
  });

  test('says them of a failed top-up, of a repair and what it does, and leads back to /support', async () => {
    const id = await scene.topupIn('FAILED');
    const partner = await nameOf('partners', scene.partner.id);
    await summaryOf(
      'top-up',
      `TransactionId = "${id}"`,
      new RegExp(`^Top-up ${id} of ${money.source} \\(.+\\) for ${partner}$`),
    );
    const { gift } = await scene.voucherIn('claimed');
    await scene.repaired('cancel-voucher', gift.id);
    const query = `VoucherSerial = "${await serialOf(gift.id)}"`;
    for (const operation of ['repair', 'cancel-voucher'])
      await summaryOf(
        operation,
        query,
        new RegExp(`^Repair \\d+: Cancel the voucher, ${money.source}, ${partner}$`),
      );
    for (const operation of ['claim', 'repair', 'cancel-voucher']) {
      const [row] = await until(async () => {
        const rows = await found(operation, query);
        expect(rows).not.toEqual([]);
        return rows;
      });
      const { workflowId = '' } = row ?? {};
      const handle = scene.stack.temporal.client.workflow.getHandle(workflowId);
      const details = await (await handle.describe()).staticDetails();
      const { publicUrl } = scene.stack.config.http;
      expect(details, operation).toBe(
        `[Open the case at the support desk](${publicUrl}/support/workflows/${encodeURIComponent(workflowId)})`,
      );
    }
  });
});

test('every operation has a row in the table', async () => {
  const { client } = scene.stack.temporal;
  const operations = new Set<string>();
  for await (const { searchAttributes } of client.workflow.list({
    query: `TaskQueue = "${scene.stack.config.temporal.temporalTaskQueue}" AND Operation IS NOT NULL`,
  }))
    operations.add(String(searchAttributes.Operation?.[0]));
  expect([...operations].filter((operation) => !(operation in expected))).toEqual([]);
  expect(
    Object.keys(expected).filter(
      (operation) => !operations.has(operation) && !STARTED_ELSEWHERE.includes(operation),
    ),
  ).toEqual([]);
});
