import type { HttpResult } from '../../http-call.js';
import { readJson } from '../../read-json.js';
import {
  notListed,
  type ProviderTransaction,
  readPages,
  type TransactionList,
} from '../../transaction-list.js';
import { pageSchema, type ReloadlyTopup } from './answers.js';
import { statusOfTopup } from './transformers.js';

/** Answers are limited in size; a top-up has one kilobyte. */
const PAGE_SIZE = 100;
/** The provider's times have no zone; a day more on each side finds every one. */
const DAY_MS = 24 * 3_600_000;

/**
 * Lists our top-ups since a time, by `GET /topups/reports/transactions` (providers.md 3.2b). Its
 * pages are numbered from 1.
 */
export async function listTopups(
  get: (query: string) => Promise<HttpResult>,
  since: Date,
): Promise<TransactionList> {
  const list = await readPages(async (index) => {
    const query = new URLSearchParams({
      startDate: textOf(new Date(since.getTime() - DAY_MS)),
      endDate: textOf(new Date(Date.now() + DAY_MS)),
      page: String(index + 1),
      size: String(PAGE_SIZE),
    });
    const answer = await get(String(query));
    if (answer.kind !== 'answered') return notListed(answer.message);
    const page = answer.status === 200 ? readJson(pageSchema, answer.body) : undefined;
    const transactions = page?.content.map(transactionOf);
    if (!transactions?.every((found) => found !== undefined))
      return notListed(`HTTP status ${answer.status}, without a readable list.`);
    return { kind: 'page', transactions, isLast: transactions.length < PAGE_SIZE };
  });
  if (list.kind === 'not-listed') return list;
  return { kind: 'listed', transactions: list.transactions.filter(({ at }) => at >= since) };
}

function transactionOf(topup: ReloadlyTopup): ProviderTransaction | undefined {
  const at = dateOf(topup.transactionDate ?? '');
  if (at === undefined) return undefined;
  return {
    reference: topup.customIdentifier ?? null,
    providerReference: topup.operatorTransactionId ?? topup.transactionId ?? null,
    status: statusOfTopup(topup),
    amount: topup.requestedAmount?.toString() ?? null,
    currency: topup.requestedAmountCurrencyCode ?? null,
    party: topup.recipientPhone == null ? null : `+${topup.recipientPhone.replace(/\D/g, '')}`,
    description: null,
    productId: null,
    at,
  };
}

/** `2021-12-06 13:13:39`, which is taken as UTC. */
const textOf = (date: Date): string => date.toISOString().slice(0, 19).replace('T', ' ');

function dateOf(text: string): Date | undefined {
  const date = new Date(`${text.trim().replace(' ', 'T')}Z`);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
