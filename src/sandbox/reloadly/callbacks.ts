import { createHmac } from 'node:crypto';
import type { Topup } from '../books.ts';
import { type CallbackSender, toldStatuses } from '../callback-sender.ts';
import type { Callbacks } from '../end-later.ts';
import type { Faults } from '../faults/provider-faults.ts';
import { topupAnswer } from './topup.ts';

/** Where the account's callbacks go, as in the provider's dashboard. */
export interface ReloadlyWebhook {
  readonly url: string;
  /** Signs them. */
  readonly secret: string;
}

/**
 * Reloadly's callbacks: POSTs an event with the top-up. The signature is the HMAC-SHA256, in hex, of
 * the body, a colon and the time of the request.
 */
export const createReloadlyCallbacks = (
  sender: CallbackSender,
  faults: Faults,
  webhook: { readonly target: ReloadlyWebhook | undefined },
): Callbacks<Topup> => ({
  async announce(topup, status) {
    const { target } = webhook;
    if (!target || faults.of('reloadly').losesCallbacks) return;
    for (const told of toldStatuses[topup.behaviour.callback](status)) {
      const body = {
        type: 'airtime_transaction.status',
        date: new Date().toISOString(),
        data: topupAnswer(topup, told),
      };
      const timestamp = String(Date.now());
      const signature = createHmac('sha256', target.secret)
        .update(`${JSON.stringify(body)}:${timestamp}`)
        .digest('hex');
      const headers = {
        'X-Reloadly-Signature': signature,
        'X-Reloadly-Request-Timestamp': timestamp,
      };
      await sender.send({ method: 'POST', url: target.url, headers, body });
    }
  },
});
