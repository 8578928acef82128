import { findAttempt, markAttemptUnknown } from '../../src/db/topups/attempts.ts';
import { formatAmount, parseMoney } from '../../src/domain/money.ts';
import type { NumberBox } from '../../src/domain/phone.ts';
import type { AirtimeOrder } from '../../src/providers/airtime/airtime.ts';
import type { ProviderOutcome } from '../../src/providers/outcome.ts';
import type { Named } from '../../workflows/steps/named-results.ts';
import type { Sending, WithProviders } from '../../workflows/steps/waiting.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { onOwnClock, sendValue, withHeartbeat } from '../provider-call.ts';
import {
  afterInquiry,
  askByTakenId,
  askProvider,
  isFirstSending,
  sendOrFailOver,
  withOtherPlacements,
} from '../providers.ts';
import type { SaidInquiry } from '../repairs.ts';

export function createTopupOrderActivities(dependencies: ActivityDependencies) {
  const { database, airtime, failpoint, numbers } = dependencies;

  /**
   * Sends a held attempt; the reference is constant. `isFirst` promises that nothing can have been sent
   * for it before, so that another provider may send it where the first did nothing.
   */
  async function sendTopup(
    operationId: string,
    call: number,
    isFirst: boolean,
  ): Promise<Named<Sending<ProviderOutcome>>> {
    if (!isFirstSending(isFirst)) await markAttemptUnknown(database, operationId, SENT_AGAIN);
    const attempt = await findAttempt(database, operationId);
    const order = orderOf(attempt, numbers);
    await failpoint(`${subjectOf(attempt)}-sending`);
    const outcome = await sendOrFailOver(dependencies, {
      placed: { subject: 'top-up', operationId },
      set: airtime,
      row: attempt,
      isFirst,
      send: (provider) => sendValue(() => provider.send(order), provider.repetition),
      canServe: (provider) => provider.canSend(order.product),
    });
    await failpoint(`${subjectOf(attempt)}-sent`);
    const concluded = await withOtherPlacements(database, operationId, outcome, outcome.asked);
    return { ...concluded, asked: outcome.asked, of: { operationId, call } };
  }

  /**
   * Asks the provider by our reference for the outcome of the attempt. `lastSentAtMs` is the end of its
   * last sending.
   */
  async function inquireTopup(
    operationId: string,
    call: number,
    lastSentAtMs: number,
  ): Promise<Named<WithProviders<SaidInquiry>>> {
    const attempt = await findAttempt(database, operationId);
    const order = orderOf(attempt, numbers);
    const lastSentAt = onOwnClock(lastSentAtMs);
    const answer = await askProvider(airtime, attempt.provider, (port) =>
      askByTakenId(database, attempt, (takenAs) =>
        withHeartbeat(() => port.findOrder(order, lastSentAt, takenAs)),
      ),
    );
    const { provider, failovers } = attempt;
    const asked = { provider, failovers };
    const found = await afterInquiry(database, operationId, answer, asked);
    return { ...found, asked, of: { operationId, call } };
  }

  return { sendTopup, inquireTopup };
}

/** The message while an order is sent again: the outcome of the earlier sending is not known. */
const SENT_AGAIN = 'It may have been sent before a fault';

type FoundAttempt = Awaited<ReturnType<typeof findAttempt>>;

/** The operation whose failpoints an attempt uses. */
export type TopupOperation = 'topup' | 'retry';

export const subjectOf = ({ attempt }: Pick<FoundAttempt, 'attempt'>): TopupOperation =>
  attempt === 1 ? 'topup' : 'retry';

/** The order for the provider, which its answers are compared with. */
export function orderOf(attempt: FoundAttempt, numbers: NumberBox): AirtimeOrder {
  const { reference, operator, amount, provider_product_id } = attempt;
  const msisdn = numbers.open(attempt.msisdn);
  if (attempt.kind === 'PACKAGE') {
    if (provider_product_id === null) throw new Error('The package has no provider product');
    return {
      reference,
      msisdn,
      product: { kind: 'package', providerProductId: provider_product_id },
    };
  }
  if (operator === null) throw new Error('The attempt was never held');
  return {
    reference,
    msisdn,
    product: { kind: 'airtime', operator, amount: formatAmount(parseMoney(amount)) },
  };
}
