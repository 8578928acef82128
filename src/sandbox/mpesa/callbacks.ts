import type { Payout } from '../books.ts';
import { type CallbackSender, toldStatuses } from '../callback-sender.ts';
import type { Callbacks } from '../end-later.ts';
import type { Faults } from '../faults/provider-faults.ts';
import { inquiryResult, paymentResult } from './results.ts';

/** The results of payments, and the answers to inquiries. */
export interface MpesaCallbacks extends Callbacks<Payout> {
  /** Sends the answer to an inquiry; only a tester can lose it. */
  answerInquiry(
    payout: Payout | undefined,
    inquiry: { readonly conversationId: string; readonly resultUrl: string },
  ): Promise<void>;
}

/**
 * M-Pesa's callbacks (providers.md 3.1b). Out of order is a notice of a full queue after the result. A
 * reversal is told to nobody.
 */
export const createMpesaCallbacks = (sender: CallbackSender, faults: Faults): MpesaCallbacks => ({
  async announce(payout, status) {
    if (status === 'reversed' || faults.of('mpesa').losesCallbacks) return;
    for (const told of toldStatuses[payout.callback](status)) {
      const url = told === 'pending' ? payout.request.QueueTimeOutURL : payout.callbackUrl;
      const body = told === 'pending' ? payout.request : paymentResult(payout, told);
      await sender.send({ method: 'POST', url: String(url), body });
    }
  },

  async answerInquiry(payout, { conversationId, resultUrl }) {
    if (faults.of('mpesa').losesCallbacks) return;
    const body = inquiryResult(payout, conversationId);
    const times = payout?.callback === 'twice' ? 2 : 1;
    for (let sent = 0; sent < times; sent += 1)
      await sender.send({ method: 'POST', url: resultUrl, body });
  },
});
