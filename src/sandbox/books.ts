import { randomBytes, randomUUID } from 'node:crypto';
import {
  type BooksFilter,
  type BooksRow,
  createTakenRequests,
  type TakenRequest,
} from './accepted-requests.ts';
import type { AirtimeBehaviour, CallbackCourse } from './behaviours.ts';
import type { Product } from './dt-one/products.ts';
import { canonicalNumber } from './phone-number.ts';
import { createStatementFaults, type StatementFaults } from './statements/statement-faults.ts';

/** A text message that a phone received. */
export interface ReceivedMessage {
  readonly id: string;
  /** The provider that delivered it. */
  readonly provider: string;
  /** E.164 */
  readonly to: string;
  readonly from: string;
  readonly text: string;
  /** ISO 8601 */
  readonly receivedAt: string;
}

/** An e-mail that an address received. */
export interface ReceivedMail {
  readonly id: string;
  /** Its Message-ID; a repeated e-mail appears twice with it. */
  readonly messageId: string;
  readonly to: string;
  readonly from: string;
  readonly subject: string;
  /** Its plain text. */
  readonly text: string;
  readonly attachments: readonly ReceivedFile[];
  /** ISO 8601 */
  readonly receivedAt: string;
}

/** A file of text that was attached to an e-mail. */
export interface ReceivedFile {
  readonly name: string;
  readonly type: string;
  readonly content: string;
}

/** An accepted payout, with the data for its API. */
export interface Payout extends TakenRequest {
  readonly correlationId: string;
  readonly transactionReference: string;
  readonly serverCorrelationId: string;
  /** The original request, which the API echoes. */
  readonly request: Readonly<Record<string, unknown>>;
  /** Whether the API answers with a request state instead of a transaction. */
  readonly isAsynchronous: boolean;
  readonly isInPascalCase: boolean;
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
  readonly transactionId: string;
  readonly operatorReference: string;
  readonly product: Product;
  readonly callbackUrl: string | undefined;
  readonly behaviour: AirtimeBehaviour;
}

type PayoutKey = 'correlationId' | 'reference' | 'transactionReference' | 'serverCorrelationId';
type TopupKey = 'reference' | 'transactionId';
type Taking = 'takenAt' | 'statuses';

/** The books of the simulated providers, in memory; a row per accepted request. */
export interface Books {
  /** What statements list otherwise than it was. */
  readonly statementFaults: StatementFaults;
  /** What we can spend at a provider. */
  readonly balances: Map<string, number>;
  /** Oldest first. */
  readonly paidIn: PaidIn[];
  /** @param message with the id that its provider gave it; a new one without it */
  receiveMessage(message: {
    provider?: string;
    to: string;
    from: string;
    text: string;
    id?: string;
  }): ReceivedMessage;
  receiveMail(mail: Omit<ReceivedMail, 'id' | 'receivedAt'>): ReceivedMail;
  takePayout(payout: Omit<Payout, Taking | 'transactionReference' | 'serverCorrelationId'>): Payout;
  takeReversal(
    reversal: Omit<PayoutReversal, Taking | 'transactionReference' | 'serverCorrelationId'>,
  ): PayoutReversal;
  takeTopup(topup: Omit<Topup, Taking | 'transactionId' | 'operatorReference'>): Topup;
  /** Newest first; of one phone, or of all. */
  messages(to?: string): ReceivedMessage[];
  /** Newest first; of one address in any notation, or of all. */
  mails(to?: string): ReceivedMail[];
  /** Newest first. */
  payouts(filter?: BooksFilter): BooksRow[];
  reversals(filter?: BooksFilter): BooksRow[];
  topups(filter?: BooksFilter): BooksRow[];
  /** Newest first. */
  reversalsOf(payout: Payout): PayoutReversal[];
  /** Newest first, in the order of its API. */
  allPayouts(provider?: string): Payout[];
  allReversals(provider?: string): PayoutReversal[];
  findReversal(key: PayoutKey, value: string, provider?: string): PayoutReversal | undefined;
  /** The newest of one provider, or of any. */
  findPayout(key: PayoutKey, value: string, provider?: string): Payout | undefined;
  findTopup(key: TopupKey, value: string, provider?: string): Topup | undefined;
  /** Newest first, in the order of its API. */
  allTopups(provider?: string): Topup[];
}

const noAccounts = (): Pick<Books, 'balances' | 'paidIn'> => ({ balances: new Map(), paidIn: [] });

export function createBooks(): Books {
  const messagesByNumber = new Map<string, ReceivedMessage[]>();
  const allMessages: ReceivedMessage[] = [];
  const allMails: ReceivedMail[] = [];
  const payoutKeys: readonly PayoutKey[] = [
    'correlationId',
    'reference',
    'transactionReference',
    'serverCorrelationId',
  ];
  const payouts = createTakenRequests<Payout, PayoutKey>(payoutKeys);
  const reversals = createTakenRequests<PayoutReversal, PayoutKey>(payoutKeys);
  const topups = createTakenRequests<Topup, TopupKey>(['reference', 'transactionId']);
  // Ids continue those of an earlier process, so that none is used twice.
  let lastTransactionId = Date.now() * 1000;

  return {
    statementFaults: createStatementFaults(),
    ...noAccounts(),
    receiveMessage({ provider = 'africas-talking', to, from, text, id = newMessageId() }) {
      const message = {
        id,
        provider,
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

    receiveMail({ to, ...received }) {
      const mail = {
        id: randomUUID(),
        ...received,
        to: to.toLowerCase(),
        receivedAt: new Date().toISOString(),
      };
      allMails.push(mail);
      return mail;
    },

    takePayout: (payout) => payouts.add({ ...payout, ...taking(), ...newTransaction() }),

    takeReversal: (reversal) => reversals.add({ ...reversal, ...taking(), ...newTransaction() }),

    takeTopup(topup) {
      lastTransactionId += 1;
      return topups.add({
        ...topup,
        ...taking(),
        transactionId: String(lastTransactionId),
        operatorReference: `OP${randomBytes(6).toString('hex').toUpperCase()}`,
      });
    },

    messages: (to) =>
      (to === undefined
        ? allMessages
        : (messagesByNumber.get(canonicalNumber(to)) ?? [])
      ).toReversed(),
    mails: (to) =>
      allMails.filter((mail) => to === undefined || mail.to === to.toLowerCase()).toReversed(),
    payouts: payouts.rows,
    reversals: reversals.rows,
    topups: topups.rows,
    reversalsOf: (payout) => reversals.all().filter(({ original }) => original === payout),
    allPayouts: payouts.all,
    allReversals: reversals.all,
    findReversal: reversals.find,
    findPayout: payouts.find,
    findTopup: topups.find,
    allTopups: topups.all,
  };
}

/** An id as Africa's Talking gives them. */
export const newMessageId = (): string => `ATXid_${randomBytes(16).toString('hex')}`;

function taking(): Pick<TakenRequest, Taking> {
  const takenAt = new Date();
  return { takenAt, statuses: [{ status: 'pending', from: takenAt }] };
}

const newTransaction = () => ({
  transactionReference: `MM${randomBytes(6).toString('hex').toUpperCase()}`,
  serverCorrelationId: randomUUID(),
});
