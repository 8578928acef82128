import type { Topup } from '../books.ts';
import { type CallbackSender, toldStatuses } from '../callback-sender.ts';
import type { Callbacks } from '../end-later.ts';
import type { Faults } from '../faults/provider-faults.ts';
import { transactionOf } from './transaction.ts';

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
