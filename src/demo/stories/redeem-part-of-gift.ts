import { inBirr, moneyOf } from '../amounts.ts';
import { readVoucher } from '../merchant-steps.ts';
import { claimPart, generateVoucher, redeemForOwner } from '../partner-steps.ts';
import { confirmPayout, newestCode, readPhone } from '../sandbox-reader.ts';
import type { DemoScene } from '../scene.ts';

const PART_ETB = 300;

/** A partner redeems less than the whole balance: the fee comes out of the remaining balance. */
export async function redeemPartOfGift(scene: DemoScene): Promise<void> {
  const { transcript, partner, merchant, merchantId, sandbox, owner, denominationOf } = scene;
  const { code, amount } = await generateVoucher(
    partner,
    'The partner generates a gift of 1000 ETB for the same owner.',
    { denominationId: denominationOf(1_000), merchantId, msisdn: owner },
  );
  await claimPart(partner, `It claims ${PART_ETB} ETB of it.`, code, PART_ETB);
  const messages = await readPhone(sandbox, 'The owner gets a code by SMS.', owner);
  const since = new Date();
  await redeemForOwner(partner, 'The partner redeems with the code.', {
    voucherCode: code,
    verificationCode: newestCode(messages),
  });
  const detail = await readVoucher(merchant, 'The merchant sees the remaining balance.', code);
  const part = moneyOf(PART_ETB);
  const fee = amount - part - detail.remaining;
  transcript.confirm(
    detail.status === 'ACTIVE' && fee >= 0n,
    `${inBirr(part)} and the fee of ${inBirr(fee)} are gone, ${inBirr(detail.remaining)} are left`,
  );
  await confirmPayout(scene, { since, amount: part, fee });
}
