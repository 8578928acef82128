import { z } from 'zod';
import { listAll, type ProviderTransaction, type TransactionList } from '../../transaction-list.ts';
import { transactionSchema } from './answers.ts';
import { type DtOneGet, readTransactionsPage, windowsOf } from './transactions-page.ts';
import { statusOfClass } from './transformers.ts';

const listSchema = z.array(transactionSchema.extend({ creation_date: z.coerce.date() }));
type ListedOrder = z.infer<typeof listSchema>[number];

/** Lists our transactions since a time, day by day. */
export async function listOrders(get: DtOneGet, since: Date): Promise<TransactionList> {
  const transactions: ProviderTransaction[] = [];
  for (const window of windowsOf(since, new Date(Date.now() + 1))) {
    const day = await listAll(
      (index) => readTransactionsPage(get, window, index, listSchema),
      (found) => found.map(transactionOf),
    );
    if (day.kind === 'not-listed') return day;
    transactions.push(...day.transactions);
  }
  return { kind: 'listed', transactions };
}

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
