import { randomUUID } from 'node:crypto';
import { statusOf, type TakenRequest, type TakenStatus } from '../accepted-requests.ts';

/** How the statement of a provider can differ from what it did; its books stay right. */
export const statementFaults = {
  'missing-here': 'lists it once more, under a reference that nobody knows',
  'missing-there': 'does not list it',
  amount: 'lists another amount',
  currency: 'lists another currency',
  duplicate: 'lists it once more, as another transaction',
  reversed: 'lists it as reversed',
  pending: 'lists it without an outcome',
  late: 'lists it a day later',
} as const;
export type ListedFault = keyof typeof statementFaults;

/** Faults that a tester has put into statements, by our reference. */
export interface StatementFaults {
  set(reference: string, fault: ListedFault): void;
  clear(): void;
  all(): { readonly reference: string; readonly fault: ListedFault }[];
  /**
   * The transactions as a statement lists them; `again` makes one of them another transaction, always
   * the same one.
   */
  listed<Taken extends TakenRequest>(
    transactions: readonly Taken[],
    again: (taken: Taken) => Taken,
  ): Taken[];
}

const DAY_MS = 86_400_000;

/** It had this status from the beginning. */
const withStatus = <Taken extends TakenRequest>(taken: Taken, status: TakenStatus): Taken => ({
  ...taken,
  statuses: [{ status, from: taken.takenAt }],
});

export function createStatementFaults(): StatementFaults {
  const faults = new Map<string, { fault: ListedFault; otherReference: string }>();

  function list<Taken extends TakenRequest>(taken: Taken, again: (taken: Taken) => Taken): Taken[] {
    const found = faults.get(taken.reference);
    switch (found?.fault) {
      case undefined:
        return [taken];
      case 'missing-here':
        return [taken, { ...again(taken), reference: found?.otherReference ?? '' }];
      case 'missing-there':
        return [];
      case 'amount':
        return [{ ...taken, amount: (Number(taken.amount) + 10).toFixed(2) }];
      case 'currency':
        return [{ ...taken, currency: 'USD' }];
      case 'duplicate':
        return [taken, again(taken)];
      case 'reversed':
        return [withStatus(taken, 'reversed')];
      case 'pending':
        return [withStatus(taken, 'pending')];
      case 'late':
        return [
          {
            ...taken,
            takenAt: new Date(taken.takenAt.getTime() + DAY_MS),
            statuses: withStatus(taken, statusOf(taken)).statuses,
          },
        ];
    }
  }

  return {
    set: (reference, fault) => void faults.set(reference, { fault, otherReference: randomUUID() }),
    clear: () => faults.clear(),
    all: () => [...faults].map(([reference, { fault }]) => ({ reference, fault })),
    listed: (transactions, again) => transactions.flatMap((taken) => list(taken, again)),
  };
}
