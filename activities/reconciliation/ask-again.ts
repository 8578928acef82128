import type { RefusalInquiry } from '../../src/db/reconciliation/ended-payments.ts';
import { findOrderedAttempt } from '../../src/db/topups/topup-attempts.ts';
import { redemptionPayment } from '../../src/db/vouchers/redemptions.ts';
import type { ProviderInquiry } from '../../src/providers/outcome.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { askProvider } from '../providers/failover.ts';
import { paymentOf } from '../redemptions/payments.ts';
import { orderOf } from '../topups/topup-orders.ts';

/**
 * Asks a provider about a payment or a top-up as it was ordered: the provider of its row, or one that was asked
 * before that one.
 */
export const createAskAgain =
  ({ database, airtime, mobileMoney, numbers }: ActivityDependencies) =>
  async (
    { kind, operationId }: RefusalInquiry,
    /** Who was asked before, and when the next one was. */
    first?: { readonly provider: string; readonly askedAt: Date },
  ): Promise<ProviderInquiry> => {
    if (kind === 'redemption') {
      const payment = await redemptionPayment(database, operationId);
      return askProvider(mobileMoney, first?.provider ?? payment.provider, (port) =>
        port.findPayment(paymentOf(payment)),
      );
    }
    const attempt = await findOrderedAttempt(database, operationId);
    const lastSentAt = first?.askedAt ?? attempt.settled_at ?? undefined;
    return askProvider(airtime, first?.provider ?? attempt.provider, (port) =>
      port.findOrder(orderOf(attempt, numbers), lastSentAt),
    );
  };
