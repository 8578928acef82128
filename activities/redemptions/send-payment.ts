import type { Database } from '../../src/db/connection.ts';
import {
  forgetSending,
  markSending,
  noteUnknown,
  wasNeverSent,
} from '../../src/db/positions/placements.ts';
import type { MobileMoney, Payment } from '../../src/providers/mobile-money/mobile-money.ts';
import {
  type ProviderInquiry,
  type ProviderOutcome,
  unknown,
} from '../../src/providers/outcome.ts';
import { sendValue, withHeartbeat } from '../provider-call.ts';

/**
 * Sends a payment. To a provider that would pay a repetition again it is sent at most once: a mark in the
 * database precedes it, and only what was provably not sent, or refused at once, removes the mark.
 */
export async function sendPayment(
  database: Database,
  provider: Pick<MobileMoney, 'pay' | 'repetition'>,
  { operationId, payment }: { readonly operationId: string; readonly payment: Payment },
): Promise<ProviderOutcome> {
  const outcome =
    provider.repetition === 'safe'
      ? await sendValue(() => provider.pay(payment))
      : await sendOnce(database, operationId, () => provider.pay(payment));
  if (outcome.kind === 'unknown') await noteUnknown(database, operationId);
  return outcome;
}

async function sendOnce(
  database: Database,
  operationId: string,
  send: () => Promise<ProviderOutcome>,
): Promise<ProviderOutcome> {
  if (!(await markSending(database, operationId)))
    return unknown('it may have been sent before a fault, and is not sent again');
  const outcome = await withHeartbeat(send);
  if (outcome.kind === 'not-sent' || outcome.kind === 'refused')
    await forgetSending(database, operationId);
  return outcome;
}

/**
 * Asks for the outcome of a payment. Of one that is sent at most once our own mark knows that it was not
 * sent yet, which its provider can never say.
 */
export async function askForPayment(
  database: Database,
  provider: Pick<MobileMoney, 'findPayment' | 'repetition'>,
  { operationId, payment }: { readonly operationId: string; readonly payment: Payment },
): Promise<ProviderInquiry> {
  if (provider.repetition === 'never' && (await wasNeverSent(database, operationId)))
    return { kind: 'never-seen' };
  return withHeartbeat(() => provider.findPayment(payment));
}
