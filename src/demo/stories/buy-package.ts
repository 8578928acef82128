import { inBirr } from '../amounts.ts';
import { readBalances } from '../partner-steps.ts';
import { confirmDelivery, newPhoneNumber } from '../sandbox-reader.ts';
import type { DemoScene } from '../scene.ts';
import { readTopup, sendPackage } from '../topup-steps.ts';

/** A package costs the price of its product and goes to numbers of its operator. */
export async function buyPackage(scene: DemoScene): Promise<void> {
  const { transcript, partner } = scene;
  const { productId, name, price } = scene.package;
  const before = await readBalances(partner, 'The partner reads its balances.');
  const order = { productId, msisdn: newPhoneNumber() };
  const { transactionId } = await sendPackage(partner, `It buys "${name}".`, order);
  const { status } = await readTopup(partner, 'It reads the status of the top-up.', transactionId);
  transcript.confirm(status === 'SUCCESS', 'the package was delivered');
  // The provider's cost differs from the selling price.
  await confirmDelivery(scene, { msisdn: order.msisdn });
  const after = await readBalances(partner, 'The partner reads its balances again.');
  transcript.confirm(
    after.airtime === before.airtime - price,
    `${inBirr(price)} were charged, the price of the package`,
  );
}
