import { randomBytes, randomUUID } from 'node:crypto';
import type { ProviderName } from '../domain/providers.ts';
import { createStatementFaults } from './faults.ts';
import { openJournal } from './journal.ts';
import type { Product } from './products.ts';
import {
  type BooksFilter,
  createReceived,
  createTakenRequests,
  type GivenMail,
  type GivenMessage,
  type ReceivedMail,
  type ReceivedMessage,
  receivedMail,
  receivedMessage,
  type TakenRequest,
  type TakenStatus,
} from './requests.ts';
import type { AirtimeBehaviour, CallbackCourse } from './scenarios.ts';

/** An accepted payout, with the data for its API. */
export interface Payout extends TakenRequest {
  readonly provider: ProviderName;
  readonly correlationId: string;
  readonly transactionReference: string;
  readonly serverCorrelationId: string;
  /** The original request, which the API echoes. */
  readonly request: Readonly<Record<string, unknown>>;
  /** Whether the API answers with a request state instead of a transaction. */
  readonly isAsynchronous: boolean;
  readonly callbackUrl: string | undefined;
  readonly callback: CallbackCourse;
}

/** Money that we paid into our account at a provider. */
export interface PaidIn extends TakenRequest {
  readonly transactionReference: string;
  /** Of the transaction at the provider, e.g. deposit or transfer. */
  readonly type: string;
  /** How the provider names our account, where it does not do it as we ask for it. */
  readonly account: { readonly key: string; readonly value: string } | undefined;
}

/** The reversal of a payout. */
export interface PayoutReversal extends Payout {
  readonly original: Payout;
}

/** An accepted top-up, with the data for its API. */
export interface Topup extends TakenRequest {
  readonly provider: ProviderName;
  readonly transactionId: string;
  readonly operatorReference: string;
  readonly product: Product;
  readonly callbackUrl: string | undefined;
  readonly behaviour: AirtimeBehaviour;
}

type PayoutKey = 'correlationId' | 'reference' | 'transactionReference' | 'serverCorrelationId';
const PAYOUT_KEYS: readonly PayoutKey[] = [
  'correlationId',
  'reference',
  'transactionReference',
  'serverCorrelationId',
];
type Taking = 'id' | 'takenAt' | 'statuses';

/** Their journal in a data folder. */
export const BOOKS_FILE = 'sandbox-books.jsonl';

/** Each change of the books, by its kind: what the journal keeps. */
interface Changes {
  readonly message: ReceivedMessage;
  readonly mail: ReceivedMail;
  readonly payout: Payout;
  readonly reversal: PayoutReversal;
  readonly topup: Topup;
  readonly status: { readonly id: string; readonly status: TakenStatus; readonly from: Date };
  readonly balance: { readonly provider: string; readonly amount: number };
  readonly paidIn: PaidIn;
}
type Entry<Kind extends keyof Changes = keyof Changes> = readonly [Kind, Changes[Kind]];

export type Books = ReturnType<typeof createBooks>;

/** What the books hold, and its journal. */
function createStore(file?: string) {
  const received = createReceived();
  const payouts = createTakenRequests<Payout, PayoutKey>(PAYOUT_KEYS);
  const reversals = createTakenRequests<PayoutReversal, PayoutKey>(PAYOUT_KEYS);
  const topups = createTakenRequests<Topup, 'reference'>(['reference']);
  const takenById = new Map<string, TakenRequest>();
  const balances = new Map<string, number>();
  const paidIn: PaidIn[] = [];

  const apply: { readonly [Kind in keyof Changes]: (change: Changes[Kind]) => void } = {
    message: received.addMessage,
    mail: received.addMail,
    payout: (payout) => takenById.set(payout.id, payouts.add(payout)),
    reversal: (reversal) => takenById.set(reversal.id, reversals.add(reversal)),
    topup: (topup) => takenById.set(topup.id, topups.add(topup)),
    status: ({ id, ...status }) => takenById.get(id)?.statuses.push(status),
    balance: ({ provider, amount }) => balances.set(provider, amount),
    paidIn: (paid) => paidIn.push(paid),
  };
  const journal =
    file === undefined ? undefined : openJournal(file, (entry) => restore(entry as Entry));
  function restore([kind, change]: Entry): void {
    apply[kind](revived(change, takenById) as never);
  }
  function record<Kind extends keyof Changes>(kind: Kind, change: Changes[Kind]): Changes[Kind] {
    journal?.add([kind, change] satisfies Entry<Kind>);
    apply[kind](change);
    return change;
  }
  const close = () => journal?.close();
  return { received, payouts, reversals, topups, balances, paidIn, record, close };
}

/**
 * The books of the simulated providers; a row per accepted request.
 *
 * @param file the journal that keeps them; without it they are in memory alone
 */
export function createBooks(file?: string) {
  const { received, payouts, reversals, topups, balances, paidIn, record, close } =
    createStore(file);
  // Ids continue those of an earlier process, so that none is used twice.
  let lastTransactionId = Date.now() * 1000;
  return {
    /** The differences between provider statements and the books. */
    statementFaults: createStatementFaults(),
    /** The amount that we can spend at a provider. A tester sets it; no order or message lowers it. */
    balanceOf: (provider: string): number => balances.get(provider) ?? 1_000_000,
    /** Of the providers where a tester has set it. */
    balances: balances as ReadonlyMap<string, number>,
    /** Oldest first. */
    paidIn,
    receiveMessage: (message: GivenMessage) => record('message', receivedMessage(message)),
    receiveMail: (mail: GivenMail) => record('mail', receivedMail(mail)),
    takePayout: (payout: Omit<Payout, Taking | keyof ReturnType<typeof newTransaction>>) =>
      record('payout', { ...payout, ...taking(), ...newTransaction() }),
    takeReversal: (
      reversal: Omit<PayoutReversal, Taking | keyof ReturnType<typeof newTransaction>>,
    ) => record('reversal', { ...reversal, ...taking(), ...newTransaction() }),
    takeTopup(topup: Omit<Topup, Taking | 'transactionId' | 'operatorReference'>) {
      lastTransactionId += 1;
      return record('topup', {
        ...topup,
        ...taking(),
        transactionId: String(lastTransactionId),
        operatorReference: `OP${randomBytes(6).toString('hex').toUpperCase()}`,
      });
    },
    /**
     * Gives a request its next status, if there is one, from now or a later moment. A completed
     * reversal changes its payout.
     */
    settle(taken: TakenRequest | PayoutReversal, status?: TakenStatus, from = new Date()): void {
      if (status) record('status', { id: taken.id, status, from });
      if ('original' in taken && status === 'completed')
        record('status', { id: taken.original.id, status: 'reversed', from });
    },
    setBalance(provider: string, amount: number): void {
      record('balance', { provider, amount });
    },
    payIn: (paid: Pick<PaidIn, 'provider' | 'amount' | 'type' | 'account'>) =>
      record('paidIn', { ...paid, ...newPaidIn(paidIn.length + 1) }),
    messages: received.messages,
    mails: received.mails,
    payouts: payouts.rows,
    reversals: reversals.rows,
    topups: topups.rows,
    /** Newest first. */
    reversalsOf: (payout: Payout) => reversals.all().filter(({ original }) => original === payout),
    allPayouts: payouts.all,
    allReversals: reversals.all,
    findReversal: reversals.find,
    findPayout: payouts.find,
    findTopup: ({ reference, provider }: Pick<BooksFilter, 'provider'> & { reference: string }) =>
      topups.find('reference', reference, provider),
    allTopups: topups.all,
    /** Ends the journal. */
    close,
  };
}

function taking(): Pick<TakenRequest, Taking> {
  const takenAt = new Date();
  return { id: randomUUID(), takenAt, statuses: [{ status: 'pending', from: takenAt }] };
}

function newPaidIn(number: number) {
  const { id, takenAt } = taking();
  return {
    id,
    takenAt,
    currency: 'ETB',
    reference: '',
    to: '',
    statuses: [{ status: 'completed' as const, from: takenAt }],
    transactionReference: `IN${number}-${takenAt.getTime()}`,
  };
}

const newTransaction = () => ({
  transactionReference: `MM${randomBytes(6).toString('hex').toUpperCase()}`,
  serverCorrelationId: randomUUID(),
});

/** A change that was kept, as it was: JSON has texts for dates, and a copy of the payout in its reversal. */
function revived(change: Changes[keyof Changes], known: ReadonlyMap<string, TakenRequest>): object {
  if ('status' in change) return { ...change, from: new Date(change.from) };
  if (!('statuses' in change)) return change;
  return {
    ...change,
    takenAt: new Date(change.takenAt),
    statuses: change.statuses.map(({ status, from }) => ({ status, from: new Date(from) })),
    ...('original' in change && {
      original: known.get(change.original.id) ?? revived(change.original, known),
    }),
  };
}
