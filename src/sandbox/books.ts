import { randomBytes, randomUUID } from 'node:crypto';
import { canonicalNumber } from './phone-number.js';

export type PayoutStatus = 'pending' | 'completed' | 'failed' | 'reversed';

/** A text message that a phone has received. */
export interface ReceivedMessage {
  readonly id: string;
  /** E.164 */
  readonly to: string;
  readonly from: string;
  readonly text: string;
  /** ISO 8601 */
  readonly receivedAt: string;
}

/** A payout that the provider took, with what its API needs to answer for it. */
export interface Payout {
  readonly correlationId: string;
  readonly reference: string;
  readonly to: string;
  readonly amount: string;
  readonly currency: string;
  readonly takenAt: Date;
  readonly transactionReference: string;
  readonly serverCorrelationId: string;
  /** The request as it came; the API echoes it. */
  readonly request: Readonly<Record<string, unknown>>;
  /** Whether the API answers for it by a request state instead of a transaction. */
  readonly isAsynchronous: boolean;
  readonly isInPascalCase: boolean;
  /** Every status it takes; the last one whose time has come is its status. */
  readonly statuses: { readonly status: PayoutStatus; readonly from: Date }[];
}

/** A row of `GET /books`. */
interface PayoutRow {
  readonly reference: string;
  readonly to: string;
  readonly amount: string;
  readonly currency: string;
  readonly status: PayoutStatus;
  readonly at: string;
}

interface BooksFilter {
  readonly reference?: string | undefined;
  readonly to?: string | undefined;
}

/** What the simulated providers did, in memory; a row per request that they took. */
export interface Books {
  receiveMessage(message: { to: string; from: string; text: string }): ReceivedMessage;
  takePayout(
    payout: Omit<Payout, 'takenAt' | 'transactionReference' | 'serverCorrelationId' | 'statuses'>,
  ): Payout;
  /** Newest first; of one phone, or of all. */
  messages(to?: string): ReceivedMessage[];
  /** Newest first. */
  payouts(filter?: BooksFilter): PayoutRow[];
  findPayout(
    key: 'correlationId' | 'reference' | 'transactionReference' | 'serverCorrelationId',
    value: string,
  ): Payout | undefined;
}

/** Where the payout has got to. */
export function statusOf(payout: Payout, now = new Date()): PayoutStatus {
  return payout.statuses.findLast(({ from }) => from <= now)?.status ?? 'pending';
}

export function createBooks(): Books {
  const messagesByNumber = new Map<string, ReceivedMessage[]>();
  const allMessages: ReceivedMessage[] = [];
  const payouts: Payout[] = [];
  const index = {
    correlationId: new Map<string, Payout>(),
    reference: new Map<string, Payout>(),
    transactionReference: new Map<string, Payout>(),
    serverCorrelationId: new Map<string, Payout>(),
  };
  return {
    receiveMessage({ to, from, text }) {
      const message = {
        id: `ATXid_${randomBytes(16).toString('hex')}`,
        to: canonicalNumber(to),
        from,
        text,
        receivedAt: new Date().toISOString(),
      };
      const ofNumber = messagesByNumber.get(message.to) ?? [];
      messagesByNumber.set(message.to, ofNumber);
      ofNumber.push(message);
      allMessages.push(message);
      return message;
    },

    takePayout(request) {
      const takenAt = new Date();
      const payout: Payout = {
        ...request,
        takenAt,
        transactionReference: `MM${randomBytes(6).toString('hex').toUpperCase()}`,
        serverCorrelationId: randomUUID(),
        statuses: [{ status: 'pending', from: takenAt }],
      };
      payouts.push(payout);
      for (const key of Object.keys(index) as (keyof typeof index)[]) {
        index[key].set(payout[key], payout);
      }
      return payout;
    },

    messages: (to) =>
      (to === undefined
        ? allMessages
        : (messagesByNumber.get(canonicalNumber(to)) ?? [])
      ).toReversed(),

    payouts: ({ reference, to } = {}) =>
      payouts
        .filter((payout) => reference === undefined || payout.reference === reference)
        .filter((payout) => to === undefined || canonicalNumber(payout.to) === canonicalNumber(to))
        .toReversed()
        .map(rowOf),

    findPayout: (key, value) => index[key].get(value),
  };
}

export const rowOf = (payout: Payout): PayoutRow => ({
  reference: payout.reference,
  to: payout.to,
  amount: payout.amount,
  currency: payout.currency,
  status: statusOf(payout),
  at: payout.takenAt.toISOString(),
});
