import type { Topup } from '../books.js';
import { type CallbackSender, toldStatuses } from '../callback-sender.js';
import type { Callbacks } from '../end-later.js';
import type { Faults } from '../faults/provider-faults.js';
import { transactionOf } from './transaction.js';

/** DT One's callbacks: POSTs the transaction. */
export const createCallbacks = (sender: CallbackSender, faults: Faults): Callbacks<Topup> => ({
  async announce(topup, status) {
    const { callbackUrl, behaviour } = topup;
    if (callbackUrl === undefined || faults.of('dt-one').losesCallbacks) return;
    for (const one of toldStatuses[behaviour.callback](status)) {
      const body = transactionOf(topup, { status: one });
      await sender.send({ method: 'POST', url: callbackUrl, body });
    }
  },
});
