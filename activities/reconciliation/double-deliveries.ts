import { log } from '@temporalio/activity';
import {
  bookDoubleDelivery,
  bookNotedFailovers,
  type DoubleBooking,
} from '../../src/db/providers/double-deliveries.ts';
import {
  type FailoverInquiry,
  type FirstAnswer,
  postponeFailover,
} from '../../src/db/providers/failover-inquiries.ts';
import type { ProviderInquiry } from '../../src/providers/outcome.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { createAskAgain } from './ask-again.ts';

const words: Readonly<Record<DoubleBooking, string | undefined>> = {
  double: 'Two providers did the same operation',
  'late-success':
    'A provider completed an operation after it had done nothing, and others refused it',
  held: 'A provider has done what another one was asked for since, and whose outcome is unknown',
  known: undefined,
};

/**
 * Asks a provider that certainly did nothing whether that is so. What it did after all is booked once
 * against suspense, for a person to settle; what it has otherwise is a case without a booking.
 */
export const createFailoverInquiry = (dependencies: ActivityDependencies) => {
  const { database } = dependencies;
  const ask = createAskAgain(dependencies);

  async function bookDone(failover: FailoverInquiry, reference: string): Promise<void> {
    const booked = await database
      .transaction()
      .execute((transaction) => bookDoubleDelivery(transaction, failover, reference));
    // While it is on hold the provider is asked again and again, and says the same.
    const message = booked === 'held' && failover.isNoted ? undefined : words[booked];
    if (message)
      log.error(message, { operationId: failover.operationId, first: failover.provider });
  }

  return async function inquireFailover(failover: FailoverInquiry): Promise<void> {
    const answer = await ask(failover, failover);
    if (answer.kind === 'delivered' && answer.reversal === undefined)
      return bookDone(failover, answer.providerReference);
    const said = wordOf(answer);
    // Its word of before stands, and was noted too late for the transaction that ended the operation.
    if (failover.isNoted && (said === 'unknown' || said === 'never-seen'))
      await database
        .transaction()
        .execute((transaction) => bookNotedFailovers(transaction, failover));
    if (await postponeFailover(database, failover, said))
      log.error('A provider does not explain its news of an operation', {
        operationId: failover.operationId,
        first: failover.provider,
      });
    if (typeof said === 'string' || said.difference === failover.difference) return;
    log.error('The content of our reference differs at a provider', {
      operationId: failover.operationId,
      first: failover.provider,
      difference: said.difference,
    });
  };
};

function wordOf(answer: ProviderInquiry): FirstAnswer {
  if (answer.kind === 'unknown' && answer.disagrees) return { difference: answer.message };
  if (answer.kind === 'never-seen') return 'never-seen';
  return answer.kind === 'unknown' || answer.kind === 'not-sent' ? 'unknown' : 'as-before';
}
