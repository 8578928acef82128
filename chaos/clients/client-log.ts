import type { Company } from '../../src/domain/vouchers/voucher.ts';
import { type CallResponse, type Outcome, outcomeOf } from './outcome.ts';

/** The operations that move or promise money: each is sent under a key, and may be sent again. */
const keyedOperations = [
  'generate-voucher',
  'initiate-claim',
  'redeem-gift',
  'reverse-redemption',
  'airtime-topup',
  'airtime-package-topup',
  'retry-topup',
  'cancel-voucher',
  'resend-message',
  'order-vouchers',
] as const;

export type KeyedOperation = (typeof keyedOperations)[number];
/** Those without a key: they change nothing, or the same however often they are sent. */
type PlainOperation =
  | 'login'
  | 'balance'
  | 'show-voucher'
  | 'show-topup'
  | 'list-redemptions'
  | 'list-events'
  | 'show-bulk-order'
  | 'list-bulk-lines'
  | 'cancel-bulk-order';

/** A request as a client means it; sent again it is the same request. */
export interface ClientCall {
  readonly operation: KeyedOperation | PlainOperation;
  readonly company: Company;
  /** Below the base path of the company's API. */
  readonly path: string;
  /** Without one it is a GET. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly key?: string;
}

/** One sending of a call and what came of it. */
export interface LogEntry {
  readonly number: number;
  readonly client: number;
  readonly call: ClientCall;
  /** ISO 8601 */
  readonly sentAt: string;
  readonly milliseconds: number;
  readonly response: CallResponse;
  readonly outcome: Outcome;
}

/** All sendings under one key: the operation, as its caller knows it. */
export interface KeyedCalls {
  readonly operation: KeyedOperation;
  readonly company: Company;
  readonly key: string;
  readonly entries: readonly LogEntry[];
}

export interface ClientLog {
  readonly entries: readonly LogEntry[];
  add(entry: Omit<LogEntry, 'number' | 'outcome'>): LogEntry;
  keyed(): KeyedCalls[];
}

/** Keeps every call, answered or lost, in the order in which they ended. */
export function createClientLog(): ClientLog {
  const entries: LogEntry[] = [];
  return {
    entries,
    add(sent) {
      const entry = { ...sent, number: entries.length + 1, outcome: outcomeOf(sent.response) };
      entries.push(entry);
      return entry;
    },
    keyed() {
      const byKey = new Map<string, KeyedCalls & { entries: LogEntry[] }>();
      for (const entry of entries) {
        const { company, operation, key } = entry.call;
        if (key === undefined) continue;
        const name = `${companyName(company)} ${operation} ${key}`;
        const known = byKey.get(name);
        if (known) known.entries.push(entry);
        else
          byKey.set(name, {
            operation: operation as KeyedOperation,
            company,
            key,
            entries: [entry],
          });
      }
      return [...byKey.values()];
    },
  };
}

/** What a caller has been told in the end of the operation that its key stands for. */
export function finalEntry({ entries }: KeyedCalls): LogEntry | undefined {
  return (
    entries.find(({ outcome }) => outcome.kind === 'done') ??
    entries.findLast(({ outcome }) => outcome.kind === 'refused' && outcome.reason !== 'key-reused')
  );
}

/**
 * The calls that a caller still has to repeat, one of each content that was sent under the key: what
 * became of them is open, and nothing definite came afterwards.
 */
export function openCalls({ entries }: KeyedCalls): LogEntry[] {
  if (entries.some(({ outcome }) => outcome.kind === 'done')) return [];
  const lastOfContent = new Map<string, LogEntry>();
  for (const entry of entries)
    if (entry.outcome.kind !== 'unheard') lastOfContent.set(contentOf(entry.call), entry);
  return [...lastOfContent.values()].filter(({ outcome }) => outcome.kind === 'open');
}

/** What a call asks for: its key stands for this and nothing else. */
export const contentOf = ({ path, body }: ClientCall): string => `${path} ${JSON.stringify(body)}`;

/** A call in one line, as findings name it. */
export const nameOf = ({ operation, company, key }: ClientCall | KeyedCalls): string =>
  `${operation} of ${companyName(company)}, key ${key ?? 'none'}`;

export const partnerCompany = (id: number): Company => ({ kind: 'partner', id });
export const merchantCompany = (id: number): Company => ({ kind: 'merchant', id });

/** "partner 3" */
export const companyName = ({ kind, id }: Company): string => `${kind} ${id}`;
