import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Gift,
  type GiftScene,
  otherCode,
  REDEEM,
  setGiftScene,
} from '../end-to-end/gift/gift-scene.ts';
import { call } from '../support/clients.ts';
import { makeMerchant } from '../support/companies.ts';
import { until } from '../support/until.ts';
import { detailsOf } from './details-of.ts';

/** What support staff read and find of claims and payments in the Temporal UI; scenarios.test.ts has the ends of claims. */
let scene: GiftScene;
beforeAll(async () => {
  scene = await setGiftScene();
});
afterAll(() => scene?.stop());

async function list(query: string): Promise<WorkflowHandle[]> {
  const { workflow } = scene.stack.temporal.client;
  const handles: WorkflowHandle[] = [];
  for await (const { workflowId } of workflow.list({ query }))
    handles.push(workflow.getHandle(workflowId));
  return handles;
}

/** The workflows that a query finds, as soon as it finds any. */
const found = (query: string): Promise<WorkflowHandle[]> =>
  until(async () => {
    const handles = await list(query);
    expect(handles).not.toEqual([]);
    return handles;
  });

const onlyOne = async (query: string): Promise<WorkflowHandle> => {
  const handles = await found(query);
  expect(handles).toHaveLength(1);
  return handles[0] as WorkflowHandle;
};

const serialOf = async ({ id }: Gift): Promise<string> => {
  const row = await scene.stack.database
    .selectFrom('vouchers')
    .select('serial_number')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return row.serial_number;
};

describe('a claim', () => {
  it('names owner, merchant, expiry and the wrong codes so far', async () => {
    const gift = await scene.gift();
    const code = await scene.claimed(scene.asMerchant, gift);
    const handle = await onlyOne(`VoucherSerial = "${await serialOf(gift)}"`);
    expect(handle.workflowId).toMatch(
      new RegExp(`^claim:${await serialOf(gift)}:[0-9a-f]{32,64}$`),
    );
    const details = await detailsOf(handle);
    expect(details).toMatch(
      /\*\*Claimed\*\*: ETB 100\.00 of voucher \S+ at .+, owner \+2519\*+\d{3}\./,
    );
    expect(details).toMatch(
      /code was sent to the owner by africas-talking\. .* expires at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\./,
    );
    expect(details).toContain('Wrong codes so far: 0.');
    expect(details).not.toContain(gift.owner);
    await scene.asMerchant.post(REDEEM, {
      voucherCode: gift.voucherCode,
      verificationCode: otherCode(code),
    });
    const after = await detailsOf(handle);
    expect(after).toContain('Wrong codes so far: 1.');
    expect(after).toContain('The last redemption was refused: The verification code is incorrect.');
  });
});

describe('a payment', () => {
  const redeemAt = async (payoutSuffix: string) => {
    const merchant = await makeMerchant(scene.stack, { payoutSuffix });
    const gift = await scene.gift({ merchant, owner: null });
    const answer = scene.asPartner.post(REDEEM, { voucherCode: gift.voucherCode, amount: 40 });
    return { gift, answer };
  };

  it('is found by its outcome and by all its references, and names the account', async () => {
    const { answer } = await redeemAt('000');
    const { referenceNumber } = (await answer).body.data;
    const row = await scene.stack.database
      .selectFrom('redemptions')
      .innerJoin('placements', 'placements.operation_id', 'redemptions.operation_id')
      .select(['platform_reference', 'payment_reference', 'provider_reference'])
      .where('provider_reference', '=', referenceNumber)
      .executeTakeFirstOrThrow();
    for (const reference of Object.values(row)) {
      const handle = await onlyOne(`Reference = "${reference}" and Outcome = "SUCCESS"`);
      const details = await detailsOf(handle);
      expect(details).toContain('**Paid**: ETB 40.00 to ');
      expect(details).toMatch(
        new RegExp(
          `Provider's reference ${referenceNumber}, paid to msisdn \\+2519\\*+000 by gsma\\.`,
        ),
      );
    }
  });

  it.each([
    ['refused', '006', 'provider', '**Not paid**', 'merchant payout-account set'],
    ['not sent', '016', 'service', '**Not sent**', 'providers check'],
  ])('that was %s is found by its outcome', async (_what, suffix, notDoneBy, title, toDo) => {
    const { gift, answer } = await redeemAt(suffix);
    expect((await answer).body.statusCode).toBe(404);
    const serial = await serialOf(gift);
    const handle = await onlyOne(`VoucherSerial = "${serial}" and Outcome = "FAILED"`);
    const details = await detailsOf(handle);
    expect(details).toContain(title);
    expect(details).toContain(toDo);
    const { not_done_by } = await scene.stack.database
      .selectFrom('redemptions')
      .select('not_done_by')
      .where('voucher_id', '=', gift.id)
      .executeTakeFirstOrThrow();
    expect(not_done_by).toBe(notDoneBy);
  });

  it('that nobody knows is found by Outcome = "UNKNOWN" until it is known', async () => {
    const { gift, answer } = await redeemAt('014');
    const serial = await serialOf(gift);
    const handle = await onlyOne(`VoucherSerial = "${serial}" and Outcome = "UNKNOWN"`);
    expect(await detailsOf(handle)).toContain('**Payment unknown**');
    const { payment_reference } = await scene.stack.database
      .selectFrom('redemptions')
      .select('payment_reference')
      .where('voucher_id', '=', gift.id)
      .executeTakeFirstOrThrow();
    const books = `${scene.stack.sandbox.url}/books/payouts/${payment_reference}`;
    expect((await call(books, { body: { status: 'completed' } })).status).toBe(200);
    expect((await answer).body.statusCode).toBe(200);
    await handle.result();
    await found(`VoucherSerial = "${serial}" and Outcome = "SUCCESS"`);
    expect(await list(`VoucherSerial = "${serial}" and Outcome = "UNKNOWN"`)).toEqual([]);
  });
});
