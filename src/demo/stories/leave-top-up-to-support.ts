import { newPhoneNumber } from '../sandbox-reader.js';
import type { DemoScene } from '../scene.js';
import { readTopup, sendAirtimeInVain } from '../topup-steps.js';

/** A failed top-up that nobody retries by the API: the end of the demo says where support finds it. */
export async function leaveTopUpToSupport({ transcript, partner }: DemoScene): Promise<void> {
  const transactionId = await sendAirtimeInVain(
    partner,
    'A top-up of 25 ETB fails, and the partner leaves it at that.',
    { amount: 25, msisdn: newPhoneNumber('decline') },
  );
  const { status } = await readTopup(partner, 'It asks where the top-up stands.', transactionId);
  transcript.confirm(
    status === 'FAILED',
    `top-up ${transactionId} has failed, and its workflow waits for a retry`,
  );
}
