import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { ProviderName } from '../domain/providers.ts';
import { statusOf, type TakenRequest, type TakenStatus } from './requests.ts';
import type { BooksBehaviour } from './scenarios.ts';

/** The purpose of each simulated provider. A tester can break them one by one. */
export const providerPurposes: Readonly<Record<ProviderName, string>> = {
  'africas-talking': 'SMS',
  smpp: 'SMS',
  gsma: 'payouts',
  mpesa: 'payouts',
  'dt-one': 'airtime and packages',
  reloadly: 'airtime',
};

/** What a provider answers; the first three without doing anything, the others after doing it. */
export const faultAnswers = {
  normal: 'as usual',
  'not-authorised': '401: the credentials are not accepted; nothing is done',
  'too-many-requests': '429, with Retry-After; nothing is done',
  unavailable: '503; nothing is done',
  garbage: 'half a JSON object, after doing it',
  'other-types': 'JSON whose fields have other types, after doing it',
  empty: 'status 200 without a body, after doing it',
  redirect: '307 to another address, after doing it',
  html: 'a page in HTML with status 200, after doing it',
  huge: 'a body of five megabytes, after doing it',
  'slow-drip': 'a byte every 200 ms without an end, after doing it',
} as const;

const off = z.boolean().default(false);
/** A missing field is as usual. */
export const faultSchema = z.strictObject({
  /** Resets every connection. */
  down: off,
  /** Takes a request only after this time, even if the caller has left. */
  slowSeconds: z.number().min(0).max(3_600).default(0),
  /** Does it, then closes the connection. */
  dropsAnswers: off,
  losesCallbacks: off,
  /** Reverses each payout or top-up that it takes and completes from now on, shortly after. */
  reversesLater: off,
  answers: z.enum(Object.keys(faultAnswers) as (keyof typeof faultAnswers)[]).default('normal'),
});

/** How a provider behaves to everybody, whatever the number. */
export type ProviderFault = Readonly<z.infer<typeof faultSchema>>;

const faultless: ProviderFault = faultSchema.parse({});

export type Faults = ReturnType<typeof createFaults>;

/** No provider has a fault at first. */
export function createFaults() {
  const faults = new Map<ProviderName, ProviderFault>();
  return {
    /** The present fault of a provider; a router or another server asks at every request. */
    of: (provider: ProviderName): ProviderFault => faults.get(provider) ?? faultless,
    set(provider: ProviderName, fault: ProviderFault): void {
      faults.set(provider, fault);
    },
    /** All providers behave as usual again. */
    clear: (): void => faults.clear(),
  };
}

/** Whether a provider behaves as usual. */
export const isFaultless = (fault: ProviderFault): boolean =>
  JSON.stringify(fault) === JSON.stringify(faultless);

/** The scenario of a number at a provider that may reverse what it completes. */
export const underFault = <Behaviour extends { readonly books: BooksBehaviour }>(
  behaviour: Behaviour,
  { reversesLater }: ProviderFault,
): Behaviour =>
  reversesLater && behaviour.books === 'completed'
    ? { ...behaviour, books: 'reversed-later' }
    : behaviour;

/** How the statement of a provider can differ from what it did; its books stay right. */
export const statementFaults = [
  // The statement lists it once more, under an unknown reference.
  'missing-here',
  'missing-there',
  'amount',
  'currency',
  // The statement lists it once more, as another transaction.
  'duplicate',
  'reversed',
  'pending',
  // The statement of the next day lists it.
  'late',
] as const;
export type ListedFault = (typeof statementFaults)[number];

const DAY_MS = 86_400_000;

/** It had this status from the beginning. */
const withStatus = <Taken extends TakenRequest>(taken: Taken, status: TakenStatus): Taken => ({
  ...taken,
  statuses: [{ status, from: taken.takenAt }],
});

/** Faults that a tester has put into statements, by our reference. */
export function createStatementFaults() {
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
    set(reference: string, fault: ListedFault): void {
      faults.set(reference, { fault, otherReference: randomUUID() });
    },
    clear: (): void => faults.clear(),
    all: () => [...faults].map(([reference, { fault }]) => ({ reference, fault })),
    /**
     * The transactions as a provider statement lists them; `again` adds another transaction, a
     * constant one.
     */
    listed: <Taken extends TakenRequest>(
      transactions: readonly Taken[],
      again: (taken: Taken) => Taken,
    ): Taken[] => transactions.flatMap((taken) => list(taken, again)),
  };
}
