import { readVoucher, redeem } from '../merchant-steps.ts';
import { generateVoucher } from '../partner-steps.ts';
import type { DemoScene } from '../scene.ts';

/** A gift without an owner is redeemed with its code alone. */
export async function redeemAnonymousGift(scene: DemoScene): Promise<void> {
  const { transcript, partner, merchant, merchantId, denominationOf } = scene;
  const { code } = await generateVoucher(
    partner,
    'The partner generates an anonymous gift of 100 ETB: msisdn is null.',
    { denominationId: denominationOf(100), merchantId, msisdn: null },
  );
  await redeem(merchant, 'The merchant redeems it at once, without a claim and a code.', {
    voucherCode: code,
  });
  const detail = await readVoucher(merchant, 'The merchant looks the voucher up.', code);
  transcript.confirm(
    detail.status === 'REDEEMED' && detail.remaining === 0n,
    'the voucher is redeemed and its balance is zero',
  );
}
