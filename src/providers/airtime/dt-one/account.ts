import { z } from 'zod';
import { readJson } from '../../read-json.ts';
import {
  type ProviderAccount,
  type ProviderStatementLine,
  statementPages,
} from '../../statement.ts';
import { transactionSchema } from './answers.ts';
import { type DtOneGet, readTransactionsPage, windowsOf } from './transactions-page.ts';
import { statusOfClass } from './transformers.ts';

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
  get: DtOneGet,
): Required<Pick<ProviderAccount, 'listStatement' | 'balance'>> => ({
  async *listStatement({ from, to }) {
    for (const window of windowsOf(from, to))
      yield* statementPages(
        (index) => readTransactionsPage(get, window, index, listSchema),
        linesOf,
      );
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

function linesOf(found: readonly Listed[]): ProviderStatementLine[] | string {
  const lines = found.map(lineOf);
  return lines.every((line) => line !== undefined)
    ? lines
    : 'A transaction of the list has no readable id.';
}

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
