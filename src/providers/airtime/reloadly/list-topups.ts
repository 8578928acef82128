import { localText, momentOf } from '../../../domain/local-time.ts';
import { internationalDigits } from '../../../domain/providers/written-number.ts';
import type { HttpResult } from '../../http-call.ts';
import { readJson } from '../../read-json.ts';
import {
  type ProviderAccount,
  type ProviderStatementLine,
  type StatementPeriod,
  statementPages,
} from '../../statement.ts';
import {
  type FoundPage,
  listAll,
  notListed,
  type ProviderTransaction,
  type TransactionList,
} from '../../transaction-list.ts';
import { pageSchema, type ReloadlyTopup } from './answers.ts';
import { deliveredAmount } from './delivered-amount.ts';
import { statusOfTopup } from './transformers.ts';

/** Answers are limited in size; a top-up has one kilobyte. */
const PAGE_SIZE = 100;
/** The zone of the provider's times is not documented; a day more on each side finds every one. */
const DAY_MS = 24 * 3_600_000;

/** Our account's report. */
export interface TopupReport {
  readonly get: (query: string) => Promise<HttpResult>;
  /** Of its times, which have no offset: an IANA name. */
  readonly zone: string;
}

/** A listed top-up, and when it was made. */
interface Listed {
  readonly topup: ReloadlyTopup;
  readonly at: Date;
}

/**
 * Reads a page of the report of a period, by `GET /topups/reports/transactions` (providers.md 3.2b); its
 * pages are numbered from 1. The page may have top-ups of other times.
 */
async function readPage(
  { get, zone }: TopupReport,
  { from, to }: StatementPeriod,
  index: number,
): Promise<FoundPage<Listed>> {
  const query = new URLSearchParams({
    startDate: localText(new Date(from.getTime() - DAY_MS), zone),
    endDate: localText(new Date(to.getTime() + DAY_MS), zone),
    page: String(index + 1),
    size: String(PAGE_SIZE),
  });
  const answer = await get(String(query));
  if (answer.kind !== 'answered') return notListed(answer.message);
  const page = answer.status === 200 ? readJson(pageSchema, answer.body) : undefined;
  const found = page?.content.map((topup) => ({
    topup,
    at: momentOf(topup.transactionDate?.trim() ?? '', zone),
  }));
  if (!found?.every((one): one is Listed => one.at !== undefined))
    return notListed(`HTTP status ${answer.status}, without a readable list.`);
  return { kind: 'page', found, isLast: found.length < PAGE_SIZE };
}

/**
 * Lists our top-ups since a time, and those of a day before it: what the recovery misses would be lost,
 * and what it compares needlessly agrees.
 */
export function listTopups(report: TopupReport, since: Date): Promise<TransactionList> {
  const period = { from: since, to: new Date() };
  const earliest = new Date(since.getTime() - DAY_MS);
  return listAll(
    (index) => readPage(report, period, index),
    (found) => found.filter(({ at }) => at >= earliest).map(transactionOf),
  );
}

/** The report of a period as a statement. It tells no fees: a discount is in the balance at once. */
export const reloadlyStatement =
  (report: TopupReport): NonNullable<ProviderAccount['listStatement']> =>
  (period) =>
    statementPages(
      (index) => readPage(report, period, index),
      (found) => {
        const lines = found.filter(({ at }) => at >= period.from && at < period.to).map(lineOf);
        return lines.every((line) => line !== undefined)
          ? lines
          : 'A top-up of the list has no readable id.';
      },
    );

function lineOf({ topup, at }: Listed): ProviderStatementLine | undefined {
  const providerReference = topup.transactionId ?? topup.operatorTransactionId;
  if (providerReference == null) return undefined;
  return {
    kind: 'top-up',
    reference: topup.customIdentifier ?? null,
    providerReference,
    status: statusOfTopup(topup),
    ...amountOf(topup),
    fee: null,
    feeCurrency: null,
    at,
  };
}

const amountOf = (topup: ReloadlyTopup) => {
  const { amount, currency } = deliveredAmount(topup);
  return { amount: amount?.toString() ?? null, currency };
};

const transactionOf = ({ topup, at }: Listed): ProviderTransaction => ({
  reference: topup.customIdentifier ?? null,
  providerReference: topup.operatorTransactionId ?? topup.transactionId ?? null,
  status: statusOfTopup(topup),
  ...amountOf(topup),
  party: topup.recipientPhone == null ? null : `+${internationalDigits(topup.recipientPhone)}`,
  description: null,
  productId: null,
  at,
});
