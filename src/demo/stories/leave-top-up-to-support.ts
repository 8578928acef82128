import { newPhoneNumber } from '../sandbox-reader.ts';
import type { DemoScene } from '../scene.ts';
import { readTopup, sendAirtimeInVain } from '../topup-steps.ts';

/**
 * A failed top-up without a retry through the API: the end of the demo shows where support finds
 * it.
 */
export async function leaveTopUpToSupport({ transcript, partner }: DemoScene): Promise<void> {
  const transactionId = await sendAirtimeInVain(
    partner,
    'A top-up of 25 ETB fails, and the partner does not retry it.',
    { amount: 25, msisdn: newPhoneNumber('decline') },
  );
  const { status } = await readTopup(partner, 'It reads the status of the top-up.', transactionId);
  transcript.confirm(
    status === 'FAILED',
    `top-up ${transactionId} has failed, and its workflow waits for a retry`,
  );
}
