import type { Company } from '../../src/domain/vouchers/voucher.ts';
import {
  type ClientLog,
  companyName,
  finalEntry,
  merchantCompany,
  partnerCompany,
} from '../clients/client-log.ts';
import { bodyOf } from '../clients/outcome.ts';
import { readSurely } from '../clients/read-surely.ts';
import type { SendCall } from '../clients/send-call.ts';
import type { ChaosReceiver } from '../receiver.ts';
import type { ThrowawayStack } from '../throwaway-stack.ts';
import type { World } from '../world.ts';
import { compareDeliveries } from './deliveries.ts';
import { compareFacts, type OwnedEvent } from './event-facts.ts';
import { compareLowBalances } from './low-balances.ts';
import { replayVouchers, type ToldEvent } from './voucher-replay.ts';

type Log = readonly ToldEvent[];

/**
 * Compares the fourth book, the log of events as companies read it, with the database and with the
 * clients' log (I16): each fact has exactly its events, and every success that a client was told of
 * has one; and with the fifth, what the receivers of webhooks have accepted (I17).
 */
export async function compareEvents(
  stack: ThrowawayStack,
  parts: {
    readonly world: World;
    readonly log: ClientLog;
    readonly send: SendCall;
    readonly receiver: ChaosReceiver;
  },
): Promise<string[]> {
  const { database } = stack;
  const { world, log, send, receiver } = parts;
  const companies = [
    ...world.partners.map(({ id }) => partnerCompany(id)),
    ...world.merchants.map(({ id }) => merchantCompany(id)),
  ];
  const logs = new Map<string, Log>();
  for (const company of companies) logs.set(companyName(company), await readLog(send, company));
  const told = [...logs].flatMap(([owner, events]) =>
    events.map((event): OwnedEvent => ({ owner, ...event })),
  );
  const partners = [...logs].filter(([owner]) => owner.startsWith('partner'));
  return [
    ...(await compareFacts(database, told)),
    ...(await replayVouchers(
      database,
      partners.flatMap(([, events]) => events),
    )),
    ...(await compareLowBalances(stack, told)),
    ...(await compareDeliveries(database, logs, receiver)),
    ...compareCalls(log, logs),
  ];
}

/** A company's log from the oldest event on, page by page, in order and without repetitions. */
async function readLog(send: SendCall, company: Company): Promise<ToldEvent[]> {
  const events: ToldEvent[] = [];
  let after = '';
  for (;;) {
    const path = `/events?limit=100${after}`;
    const page = await readSurely(send, { operation: 'list-events', company, path });
    events.push(...page.events);
    if (!page.hasMore) return events;
    after = `&after=${page.next}`;
  }
}

/** Every success that a client was told of is in the log of its company. */
function compareCalls(log: ClientLog, logs: ReadonlyMap<string, Log>): string[] {
  const known = new Set<string>();
  for (const [owner, events] of logs)
    for (const { type, data } of events) {
      if (type === 'voucher.generated') known.add(`${owner} generate-voucher ${data.voucherId}`);
      if (type === 'voucher.cancelled') known.add(`${owner} cancel-voucher ${data.voucherId}`);
      if (type === 'topup.succeeded') known.add(`${owner} top-up ${data.transactionId}`);
      if (type === 'redemption.reversed') known.add(`${owner} reversed ${data.redemptionId}`);
      if (type === 'payout.completed')
        for (const one of [data.reference, data.providerReference]) known.add(`redeem-gift ${one}`);
    }
  return log.keyed().flatMap((calls) => {
    const final = finalEntry(calls);
    if (final?.outcome.kind !== 'done') return [];
    const data = bodyOf(final.response)?.data;
    const fact = {
      'generate-voucher': () => `${companyName(calls.company)} generate-voucher ${data.voucher.id}`,
      'redeem-gift': () => `redeem-gift ${data.platformReferenceNumber ?? data.referenceNumber}`,
      'airtime-topup': () => `${companyName(calls.company)} top-up ${data.transactionId}`,
      'airtime-package-topup': () => `${companyName(calls.company)} top-up ${data.transactionId}`,
      'cancel-voucher': () => `${companyName(calls.company)} cancel-voucher ${data.id}`,
      'reverse-redemption': () => `${companyName(calls.company)} reversed ${data.id}`,
      'initiate-claim': undefined,
      'retry-topup': undefined,
      'resend-message': undefined,
      'order-vouchers': undefined,
    }[calls.operation]?.();
    return fact === undefined || known.has(fact) ? [] : [`${fact} was acknowledged and not told`];
  });
}
