import { randomUUID } from 'node:crypto';
import { inBirr, moneyOf } from '../amounts.ts';
import { readBalances } from '../partner-steps.ts';
import { confirmDelivery, newPhoneNumber } from '../sandbox-reader.ts';
import type { DemoScene } from '../scene.ts';
import { readTopup, sendAirtime } from '../topup-steps.ts';

const AMOUNT_ETB = 50;

/** Airtime is delivered and charged once, even if the request is repeated. */
export async function topUpAirtime(scene: DemoScene): Promise<void> {
  const { transcript, partner } = scene;
  const order = { amount: AMOUNT_ETB, msisdn: newPhoneNumber() };
  const amount = moneyOf(AMOUNT_ETB);
  const before = await readBalances(partner, 'Airtime is paid out of walletBalance.');
  const key = randomUUID();
  const first = await sendAirtime(
    partner,
    `The partner sends ${AMOUNT_ETB} ETB of airtime, under an idempotency key.`,
    order,
    key,
  );
  const again = await sendAirtime(
    partner,
    'The connection might have broken: the same request again gets the same answer.',
    order,
    key,
  );
  transcript.confirm(
    again.transactionId === first.transactionId,
    `both answers are of top-up ${first.transactionId}`,
  );
  const { status } = await readTopup(
    partner,
    'The status of a top-up can be read at any time.',
    first.transactionId,
  );
  transcript.confirm(status === 'SUCCESS', 'it was delivered');
  await confirmDelivery(scene, { msisdn: order.msisdn, amount });
  const after = await readBalances(partner, 'The partner reads its balances again.');
  transcript.confirm(
    after.airtime === before.airtime - amount,
    `${inBirr(amount)} of airtime were charged, once`,
  );
}
