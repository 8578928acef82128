import { afterAll, beforeAll, expect, test } from 'vitest';
import { breakStatement } from '../../support/database-faults.ts';
import { until } from '../../support/until.ts';
import { callsPerson } from '../../workflows/called-person.ts';
import { REDEEM } from '../gift/gift-scene.ts';
import { type RedemptionScene, setRedemptionScene } from '../gift/redemption-scene.ts';

/** Posting fails after the provider has paid: that is no matter of endless repetitions alone. */
const ALARM_SECONDS = 2;

let scene: RedemptionScene;
beforeAll(async () => {
  scene = await setRedemptionScene({
    PAYMENT_ALARM_SECONDS: String(ALARM_SECONDS),
    CALLER_WAIT_SECONDS: '8',
  });
});
afterAll(() => scene?.stop());

test('a payment that was made and cannot be booked calls a person, and is booked once', async () => {
  const { merchant, client } = await scene.payee('partner');
  const gift = await scene.gift({ merchant, owner: null });
  const mend = await breakStatement(scene.stack.database, {
    table: 'redemptions',
    on: 'update',
    when: `new.voucher_id = ${gift.id} and new.status = 'POSTED'`,
  });
  const answer = client.post(REDEEM, { voucherCode: gift.voucherCode });
  await scene.untilPaidTo(merchant);
  const { operation_id: operationId } = await scene.stack.database
    .selectFrom('vouchers')
    .select('operation_id')
    .where('id', '=', gift.id)
    .executeTakeFirstOrThrow();
  const handle = scene.stack.temporal.client.workflow.getHandle(
    `redeem-voucher:unclaimed-${operationId}`,
  );
  await until(async () => expect(await callsPerson(handle)).toBe(true));
  expect(await scene.transfersOf(gift)).toEqual(['hold 100.00']);
  // The caller is told nothing that is not so.
  expect((await answer).body).toMatchObject({ success: false, statusCode: 409 });

  await mend();
  await handle.signal('providerNudge');
  await scene.untilStatus(gift, 'REDEEMED');
  await until(async () => expect(await callsPerson(handle)).toBe(false));
  expect(scene.amountsPaidTo(merchant)).toEqual(['97.50 completed']);
  expect(await scene.transfersOf(gift)).toEqual([
    'hold 100.00',
    'post-payment 97.50',
    'post-service-fee 2.50',
  ]);
});
