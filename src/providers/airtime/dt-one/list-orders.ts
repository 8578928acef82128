import { z } from 'zod';
import type { HttpResult } from '../../http-call.js';
import { readJson } from '../../read-json.js';
import {
  notListed,
  type ProviderTransaction,
  readPages,
  type TransactionList,
} from '../../transaction-list.js';
import { transactionSchema } from './answers.js';
import { statusOfClass } from './transformers.js';

/** Answers are limited in size; a transaction has two kilobytes. */
const PAGE_SIZE = 50;
/** The longest time that one list may span. */
const WINDOW_MS = 24 * 3_600_000;

const listSchema = z.array(transactionSchema.extend({ creation_date: z.coerce.date() }));
type ListedOrder = z.infer<typeof listSchema>[number];

/** Lists our transactions since a time, by `GET /transactions` (providers.md 3.2), day by day. */
export async function listOrders(
  get: (query: string) => Promise<HttpResult>,
  since: Date,
): Promise<TransactionList> {
  const transactions: ProviderTransaction[] = [];
  const end = Date.now();
  for (let from = since.getTime(); from <= end; from += WINDOW_MS) {
    const day = await listWindow(get, from, Math.min(from + WINDOW_MS - 1, end));
    if (day.kind === 'not-listed') return day;
    transactions.push(...day.transactions);
  }
  return { kind: 'listed', transactions };
}

const listWindow = (
  get: (query: string) => Promise<HttpResult>,
  from: number,
  to: number,
): Promise<TransactionList> =>
  readPages(async (index) => {
    const query = new URLSearchParams({
      from_date: new Date(from).toISOString(),
      to_date: new Date(to).toISOString(),
      page: String(index + 1),
      per_page: String(PAGE_SIZE),
    });
    const answer = await get(String(query));
    if (answer.kind !== 'answered') return notListed(answer.message);
    const found = answer.status === 200 ? readJson(listSchema, answer.body) : undefined;
    if (!found) return notListed(`HTTP status ${answer.status}, without a readable list.`);
    return {
      kind: 'page',
      transactions: found.map(transactionOf),
      isLast: found.length < PAGE_SIZE,
    };
  });

function transactionOf(found: ListedOrder): ProviderTransaction {
  const destination = found.requested_values?.destination;
  return {
    reference: found.external_id ?? null,
    providerReference: found.operator_reference ?? found.id ?? null,
    status: statusOfClass(found.status.class),
    amount: destination?.amount.toString() ?? null,
    currency: destination?.unit ?? null,
    party: found.credit_party_identifier?.mobile_number ?? null,
    description: null,
    productId: found.product?.id ?? null,
    at: found.creation_date,
  };
}
