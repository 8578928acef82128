import { z } from 'zod';
import type { HttpResult } from '../../http-call.js';
import { readJson } from '../../read-json.js';
import {
  notListed,
  type ProviderTransaction,
  readPages,
  type TransactionList,
} from '../../transaction-list.js';
import { caseless, listedFields, transactionSchema } from './answers.js';
import { statusOfWord } from './transformers.js';

/** Answers are limited in size; a transaction has about a kilobyte. */
const PAGE_SIZE = 100;

const listSchema = z.array(
  z.intersection(
    transactionSchema,
    caseless({
      ...listedFields,
      descriptiontext: z.string().nullish(),
    }),
  ),
);
type ListedTransaction = z.infer<typeof listSchema>[number];

/**
 * Lists the payouts of our account since a time, by `GET /accounts/accountid/{account}/transactions`
 * (providers.md 3.1), page by page up to now.
 */
export function listPayouts(
  get: (path: string, deadline: AbortSignal) => Promise<HttpResult>,
  settings: { readonly account: string; readonly since: Date; readonly timeoutSeconds: number },
): Promise<TransactionList> {
  const { account, since, timeoutSeconds } = settings;
  const now = new Date();
  return readPages(async (index) => {
    const query = new URLSearchParams({
      limit: String(PAGE_SIZE),
      offset: String(index * PAGE_SIZE),
      fromDateTime: since.toISOString(),
      toDateTime: now.toISOString(),
    });
    const path = `accounts/accountid/${encodeURIComponent(account)}/transactions?${query}`;
    const answer = await get(path, AbortSignal.timeout(timeoutSeconds * 1_000));
    if (answer.kind !== 'answered') return notListed(answer.message);
    const found = answer.status === 200 ? readJson(listSchema, answer.body) : undefined;
    if (!found) return notListed(`HTTP status ${answer.status}, without a readable list.`);
    const transactions = found.filter(isPayout).map((one) => transactionOf(one, now));
    return { kind: 'page', transactions, isLast: found.length < PAGE_SIZE };
  });
}

/** Reversals stand in the list as well; the status of their payout says the same. */
const isPayout = ({ type }: ListedTransaction): boolean => type == null || type === 'disbursement';

const transactionOf = (found: ListedTransaction, now: Date): ProviderTransaction => ({
  reference: found.requestingorganisationtransactionreference ?? null,
  providerReference: found.transactionreference,
  status: statusOfWord(found.transactionstatus),
  amount: found.amount ?? null,
  currency: found.currency ?? null,
  party: found.creditparty?.map(({ key, value }) => `${key} ${value}`).join(', ') ?? null,
  description: found.descriptiontext ?? null,
  productId: null,
  at: found.creationdate ?? found.datecreated ?? now,
});
