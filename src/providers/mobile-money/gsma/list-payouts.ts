import { z } from 'zod';
import { listAll, type ProviderTransaction, type TransactionList } from '../../transaction-list.ts';
import { caseless, listedFields, transactionSchema } from './answers.ts';
import { type AccountSettings, type GsmaGet, readTransactionsPage } from './transactions-page.ts';
import { statusOfWord } from './transformers.ts';

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

/** Lists the payouts of our account since a time, page by page up to now. */
export function listPayouts(
  get: GsmaGet,
  account: AccountSettings,
  since: Date,
): Promise<TransactionList> {
  const now = new Date();
  return listAll(
    (index) => readTransactionsPage(get, account, { from: since, to: now, index }, listSchema),
    (found) => found.filter(isPayout).map((one) => transactionOf(one, now)),
  );
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
