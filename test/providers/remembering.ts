import type { Airtime } from '../../src/providers/airtime/airtime.ts';
import type { MobileMoney } from '../../src/providers/mobile-money/mobile-money.ts';
import type { ProviderInquiry } from '../../src/providers/outcome.ts';

/** Keeps the ids under which a provider took orders, as the database does. */
function createMemory() {
  const ids = new Map<string, string>();
  return {
    idOf: (reference: string) => ids.get(reference),
    note<Outcome extends ProviderInquiry>(reference: string, outcome: Outcome): Outcome {
      if (outcome.kind === 'unknown' && outcome.takenAs !== undefined && !ids.has(reference))
        ids.set(reference, outcome.takenAs);
      return outcome;
    },
  };
}

export function rememberingMoney(money: MobileMoney): MobileMoney {
  const { idOf, note } = createMemory();
  return {
    ...money,
    pay: async (payment) => note(payment.reference, await money.pay(payment)),
    findPayment: async (payment) =>
      note(payment.reference, await money.findPayment(payment, idOf(payment.reference))),
  };
}

export function rememberingAirtime(airtime: Airtime): Airtime {
  const { idOf, note } = createMemory();
  return {
    ...airtime,
    send: async (order) => note(order.reference, await airtime.send(order)),
    findOrder: async (order, lastSentAt) =>
      note(order.reference, await airtime.findOrder(order, lastSentAt, idOf(order.reference))),
  };
}
