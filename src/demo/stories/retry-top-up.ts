import { inBirr, moneyOf } from '../amounts.ts';
import { readBalances } from '../partner-steps.ts';
import { confirmDelivery, newPhoneNumber } from '../sandbox-reader.ts';
import type { DemoScene } from '../scene.ts';
import { readTopup, retry, retryInVain, sendAirtimeInVain } from '../topup-steps.ts';

const AMOUNT_ETB = 100;

/**
 * A failed attempt voids its hold at once; the retry holds the money again and goes to another
 * number.
 */
export async function retryTopUp(scene: DemoScene): Promise<void> {
  const { transcript, partner } = scene;
  const amount = moneyOf(AMOUNT_ETB);
  const before = await readBalances(partner, 'The partner reads its balances.');
  const transactionId = await sendAirtimeInVain(
    partner,
    `It sends ${AMOUNT_ETB} ETB to a number that the provider declines.`,
    { amount: AMOUNT_ETB, msisdn: newPhoneNumber('decline') },
  );
  const between = await readBalances(partner, 'The money has already returned.');
  transcript.confirm(between.airtime === before.airtime, 'a failed top-up costs nothing');

  const msisdn = newPhoneNumber();
  await retry(partner, 'It retries the same top-up, to another number.', { transactionId, msisdn });
  const { attempts } = await readTopup(partner, 'The top-up has two attempts now.', transactionId);
  transcript.confirm(
    attempts.map(({ status }) => status).join() === 'FAILED,SUCCESS',
    'the first attempt failed and the second was delivered',
  );
  await retryInVain(partner, 'A delivered top-up cannot be retried.', transactionId);
  await confirmDelivery(scene, { msisdn, amount });
  const after = await readBalances(partner, 'The partner reads its balances again.');
  transcript.confirm(
    after.airtime === before.airtime - amount,
    `${inBirr(amount)} were charged for both attempts together`,
  );
}
