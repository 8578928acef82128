import type { Database } from '../../db/connection.ts';
import { referencesOfReceipts } from '../../db/recovery/found-placements.ts';
import type { ProviderStatementLine } from '../../providers/statement.ts';
import type { ProviderTransaction, TransactionList } from '../../providers/transaction-list.ts';
import { withStatementFile } from '../statement-file.ts';

/**
 * Reads what M-Pesa paid since a moment from its organisation statement, as the reconciliation reads it.
 * A row without our reference gets that of our row with its receipt, where there is one.
 *
 * @throws {AdminError} where the file is no such statement, or is of another time
 */
export async function readMpesaStatement(
  database: Database,
  file: string,
  {
    since,
    zone,
    mayBeEmpty,
  }: { readonly since: Date; readonly zone: string; readonly mayBeEmpty: boolean },
): Promise<Extract<TransactionList, { kind: 'listed' }>> {
  const period = { from: since, to: new Date() };
  const options = { provider: 'mpesa', zone, period, mayBeEmpty };
  const lines = await withStatementFile(file, options, async (read) => {
    const payments: ProviderStatementLine[] = [];
    for await (const line of read)
      if (line.kind === 'payment' && line.fee === null && line.at >= since) payments.push(line);
    return payments;
  });
  const unnamed = lines.flatMap((line) => (line.reference === null ? line.providerReference : []));
  const known = await referencesOfReceipts(database, 'mpesa', unnamed);
  return {
    kind: 'listed',
    transactions: lines.map((line) => transactionOf(line, known.get(line.providerReference))),
  };
}

const transactionOf = (
  line: ProviderStatementLine,
  ours: string | undefined,
): ProviderTransaction => ({
  reference: line.reference ?? ours ?? null,
  providerReference: line.providerReference,
  status: line.status,
  amount: line.amount,
  currency: line.currency,
  party: line.party ?? null,
  description: null,
  productId: null,
  at: line.at,
});
