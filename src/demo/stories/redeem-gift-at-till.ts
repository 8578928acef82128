import { randomUUID } from 'node:crypto';
import { inBirr } from '../amounts.ts';
import { initiateClaim, readVoucher, redeem, redeemWithWrongCode } from '../merchant-steps.ts';
import { generateVoucher, readBalances } from '../partner-steps.ts';
import { confirmPayout, newestCode, readPhone } from '../sandbox-reader.ts';
import type { DemoScene } from '../scene.ts';

/**
 * The main story: a gift from its generation to its redemption by a merchant, with its transfers.
 */
export async function redeemGiftAtTill(scene: DemoScene): Promise<void> {
  const { transcript, partner, merchant, merchantId, sandbox, owner, denominationOf } = scene;
  const before = await readBalances(partner, 'The partner reads its balances.');
  const { code, amount } = await generateVoucher(
    partner,
    'It generates a gift of 500 ETB for a phone number.',
    { denominationId: denominationOf(500), merchantId, msisdn: owner },
  );
  const between = await readBalances(partner, 'The gift is paid for and reserved.');
  transcript.confirm(
    between.gift === before.gift - amount && between.reserved === before.reserved + amount,
    `${inBirr(amount)} went from the gift balance to the reserved balance`,
  );
  const noMessages = await readPhone(sandbox, "The owner's phone is still empty.", owner);
  transcript.confirm(noMessages.length === 0, 'no message has been sent');

  await initiateClaim(merchant, 'At the till, the merchant starts a redemption.', code);
  const messages = await readPhone(sandbox, 'The owner gets a code by SMS.', owner);
  const verificationCode = newestCode(messages);
  const detail = await readVoucher(merchant, 'The merchant looks the voucher up.', code);
  transcript.confirm(detail.status === 'REDEEM_INITIATED', 'the voucher is waiting for its code');

  const request = { voucherCode: code, verificationCode };
  const key = randomUUID();
  const mistyped = 'The cashier mistypes the code and is refused.';
  await redeemWithWrongCode(merchant, mistyped, request, key);
  const since = new Date();
  await redeem(
    merchant,
    'The correct code, under the same idempotency key: the merchant is paid.',
    request,
    key,
  );
  await confirmPayout(scene, {
    since,
    amount: detail.remaining - detail.serviceFee,
    fee: detail.serviceFee,
  });
  const after = await readBalances(partner, 'The partner reads its balances again.');
  transcript.confirm(
    after.gift === between.gift && after.reserved === before.reserved,
    'the reserved balance of the gift is zero',
  );
}
