import { canonicalNumber } from './phone-number.ts';

export type TakenStatus = 'pending' | 'completed' | 'failed' | 'reversed';

/** A payout or top-up that a provider accepted. */
export interface TakenRequest {
  /** Its name in the books. */
  readonly id: string;
  /** The provider that took it. */
  readonly provider: string;
  /** The caller's reference. */
  readonly reference: string;
  readonly to: string;
  readonly amount: string;
  readonly currency: string;
  readonly takenAt: Date;
  /** Its statuses over time; the current one is the last whose time has come. */
  readonly statuses: { readonly status: TakenStatus; readonly from: Date }[];
}

/** A row of `GET /books`. */
export interface BooksRow {
  readonly provider: string;
  readonly reference: string;
  readonly to: string;
  readonly amount: string;
  readonly currency: string;
  readonly status: TakenStatus;
  readonly at: string;
}

export interface BooksFilter {
  readonly provider?: string | undefined;
  readonly reference?: string | undefined;
  readonly to?: string | undefined;
}

/** The current status of a request. */
export function statusOf(taken: TakenRequest, now = new Date()): TakenStatus {
  return taken.statuses.findLast(({ from }) => from <= now)?.status ?? 'pending';
}

export const rowOf = (taken: TakenRequest): BooksRow => ({
  provider: taken.provider,
  reference: taken.reference,
  to: taken.to,
  amount: taken.amount,
  currency: taken.currency,
  status: statusOf(taken),
  at: taken.takenAt.toISOString(),
});

interface TakenRequests<Taken, Key extends keyof Taken> {
  add(taken: Taken): Taken;
  /** The newest of one provider, or of any. */
  find(key: Key, value: Taken[Key], provider?: string): Taken | undefined;
  /** Newest first; of one provider, or of all. */
  all(provider?: string): Taken[];
  /** Newest first. */
  rows(filter?: BooksFilter): BooksRow[];
}

/** Stores accepted requests, indexed by each of the keys. */
export function createTakenRequests<Taken extends TakenRequest, Key extends keyof Taken>(
  keys: readonly Key[],
): TakenRequests<Taken, Key> {
  const requests: Taken[] = [];
  const index = new Map(keys.map((key) => [key, new Map<Taken[Key], Taken[]>()]));
  return {
    add(taken) {
      requests.push(taken);
      for (const [key, byValue] of index)
        byValue.set(taken[key], [...(byValue.get(taken[key]) ?? []), taken]);
      return taken;
    },
    find: (key, value, provider) => index.get(key)?.get(value)?.findLast(isOf(provider)),
    all: (provider) => requests.filter(isOf(provider)).toReversed(),
    rows: ({ reference, to, provider } = {}) =>
      requests
        .filter((taken) => reference === undefined || taken.reference === reference)
        .filter((taken) => to === undefined || canonicalNumber(taken.to) === canonicalNumber(to))
        .filter(isOf(provider))
        .toReversed()
        .map(rowOf),
  };
}

const isOf = (provider: string | undefined) => (taken: TakenRequest) =>
  provider === undefined || taken.provider === provider;
