import { z } from 'zod';
import type { HttpResult } from '../../http-call.js';
import { readJson } from '../../read-json.js';
import type {
  ProviderAccount,
  ProviderStatementLine,
  ProviderStatementPage,
} from '../../statement.js';
import { statementPages } from '../../statement.js';
import { notListed } from '../../transaction-list.js';
import { transactionSchema } from './answers.js';
import { statusOfClass } from './transformers.js';

/** Answers are limited in size; a transaction has two kilobytes. */
const PAGE_SIZE = 50;
/** The longest time that one list may span. */
const WINDOW_MS = 24 * 3_600_000;

const listSchema = z.array(
  transactionSchema.extend({
    creation_date: z.coerce.date(),
    prices: z
      .object({
        wholesale: z
          .object({ unit: z.string(), fee: z.coerce.number().min(0).nullish() })
          .nullish(),
      })
      .nullish()
      .catch(undefined),
  }),
);
type Listed = z.infer<typeof listSchema>[number];

const balancesSchema = z
  .array(
    z.object({
      unit_type: z.string().transform((text) => text.toUpperCase()),
      unit: z.string(),
      available: z.coerce.number(),
    }),
  )
  .min(1);

/** What the provider says of our account (providers.md 3.2): its transactions, and its balance. */
export const dtOneAccount = (
  get: (path: string) => Promise<HttpResult>,
): Required<Pick<ProviderAccount, 'listStatement' | 'balance'>> => ({
  async *listStatement({ from, to }) {
    // A day on which the clocks change is longer than one list.
    for (let begin = from.getTime(); begin < to.getTime(); begin += WINDOW_MS)
      yield* listWindow(get, begin, Math.min(begin + WINDOW_MS, to.getTime()) - 1);
  },
  async balance() {
    const answer = await get('balances');
    if (answer.kind !== 'answered') return { kind: 'unknown', message: answer.message };
    const found = answer.status === 200 ? readJson(balancesSchema, answer.body) : undefined;
    const money = found?.find(({ unit_type }) => unit_type === 'CURRENCY');
    return money
      ? { kind: 'balance', amount: String(money.available), currency: money.unit }
      : { kind: 'unknown', message: `HTTP status ${answer.status}, without a readable balance.` };
  },
});

const listWindow = (
  get: (path: string) => Promise<HttpResult>,
  from: number,
  to: number,
): AsyncGenerator<ProviderStatementPage> =>
  statementPages(async (index) => {
    const query = new URLSearchParams({
      from_date: new Date(from).toISOString(),
      to_date: new Date(to).toISOString(),
      page: String(index + 1),
      per_page: String(PAGE_SIZE),
    });
    const answer = await get(`transactions?${query}`);
    if (answer.kind !== 'answered') return notListed(answer.message);
    const found = answer.status === 200 ? readJson(listSchema, answer.body) : undefined;
    if (!found) return notListed(`HTTP status ${answer.status}, without a readable list.`);
    const lines: ProviderStatementLine[] = [];
    for (const one of found) {
      const line = lineOf(one);
      if (!line) return notListed('A transaction of the list has no readable id.');
      lines.push(line);
    }
    return { kind: 'page', lines, isLast: found.length < PAGE_SIZE };
  });

function lineOf(found: Listed): ProviderStatementLine | undefined {
  const providerReference = found.id ?? found.operator_reference;
  if (!providerReference) return undefined;
  const destination = found.requested_values?.destination;
  const { unit, fee } = found.prices?.wholesale ?? {};
  return {
    kind: 'top-up',
    reference: found.external_id ?? null,
    providerReference,
    status: statusOfClass(found.status.class),
    amount: destination ? plain(destination.amount) : null,
    currency: destination?.unit ?? null,
    fee: fee ? plain(fee) : null,
    feeCurrency: fee ? (unit ?? null) : null,
    at: found.creation_date,
  };
}

/** Without an exponent. */
const plain = (amount: number): string =>
  /e/.test(String(amount)) ? amount.toFixed(10) : String(amount);
