import { log } from '@temporalio/activity';
import {
  bookDoubleDelivery,
  type DoubleBooking,
} from '../../src/db/providers/double-deliveries.js';
import {
  type FailoverInquiry,
  postponeFailover,
} from '../../src/db/providers/failover-inquiries.js';
import { noteDisagreement } from '../../src/db/reconciliation/refusal-inquiries.js';
import { findAttempt } from '../../src/db/topups/topup-attempts.js';
import { redemptionPayment } from '../../src/db/vouchers/redemptions.js';
import type { ProviderInquiry } from '../../src/providers/outcome.js';
import type { ActivityDependencies } from '../dependencies.js';
import { askProvider } from '../providers/failover.js';
import { paymentOf } from '../redemptions/payments.js';
import { orderOf } from '../topups/topup-orders.js';

const words: Readonly<Record<DoubleBooking, string | undefined>> = {
  double: 'Two providers did the same operation',
  'late-success':
    'A provider completed an operation after it had done nothing, and others refused it',
  held: 'A provider has done what another one was asked for since, and whose outcome is unknown',
  known: undefined,
};

/**
 * Asks a provider that certainly did nothing whether that is so. What it did after all is booked once
 * against suspense, for a person to settle.
 */
export const createFailoverInquiry = (dependencies: ActivityDependencies) => {
  const { database, airtime, mobileMoney, numbers } = dependencies;

  async function ask(failover: FailoverInquiry): Promise<ProviderInquiry> {
    const { kind, operationId, provider, askedAt } = failover;
    if (kind === 'redemption') {
      const payment = paymentOf(await redemptionPayment(database, operationId));
      return askProvider(mobileMoney, provider, (port) => port.findPayment(payment));
    }
    const order = orderOf(await findAttempt(database, operationId), numbers);
    return askProvider(airtime, provider, (port) => port.findOrder(order, askedAt));
  }

  return async function inquireFailover(failover: FailoverInquiry): Promise<void> {
    const answer = await ask(failover);
    const { provider, operationId } = failover;
    if (answer.kind === 'delivered' && answer.reversal === undefined) {
      const booked = await database
        .transaction()
        .execute((transaction) =>
          bookDoubleDelivery(transaction, failover, answer.providerReference),
        );
      const message = words[booked];
      if (message) log.error(message, { operationId, first: provider });
      return;
    }
    if (answer.kind === 'unknown' && answer.disagrees) {
      await noteDisagreement(database, failover, `${provider}: ${answer.message}`);
      log.error('The content of our reference differs at a provider', {
        operationId,
        first: provider,
        difference: answer.message,
      });
    }
    await postponeFailover(database, failover, wordOf(answer));
  };
};

function wordOf({ kind }: ProviderInquiry): 'as-before' | 'never-seen' | 'unknown' {
  if (kind === 'never-seen') return kind;
  return kind === 'unknown' || kind === 'not-sent' ? 'unknown' : 'as-before';
}
