import { sql } from 'kysely';
import { type Money, parseMoney } from '../domain/money.js';
import type { DatabaseTransaction } from './connection.js';
import { addTransfers } from './ledger.js';

export interface Deposit {
  readonly partnerId: number;
  readonly wallet: 'gift' | 'airtime';
  readonly amount: Money;
  /** The operator's own, such as the number of a bank slip: one deposit each. */
  readonly reference: string;
}

/** The operation that the ledger knows a deposit by. */
const operationOf = (reference: string) => `deposit:${reference}`;

/**
 * Credits a partner's wallet from the platform's funding account. Returns undefined when it did, and
 * the earlier deposit, having changed nothing, when the reference was used before.
 */
export async function addDeposit(
  transaction: DatabaseTransaction,
  deposit: Deposit,
): Promise<Deposit | undefined> {
  const operationId = operationOf(deposit.reference);
  // Two with one reference at the same moment take turns: the second finds what the first did.
  await sql`select pg_advisory_xact_lock(hashtextextended(${operationId}, 0))`.execute(transaction);
  const earlier = await findDeposit(transaction, deposit.reference);
  if (earlier) return earlier;
  await addTransfers(transaction, [
    {
      operationId,
      partnerId: deposit.partnerId,
      step: 'deposit',
      debit: 'funding',
      credit: deposit.wallet,
      amount: deposit.amount,
    },
  ]);
  return undefined;
}

async function findDeposit(
  transaction: DatabaseTransaction,
  reference: string,
): Promise<Deposit | undefined> {
  const row = await transaction
    .selectFrom('ledger_transfers')
    .innerJoin('ledger_accounts', 'ledger_accounts.id', 'ledger_transfers.credit_account_id')
    .select(['ledger_accounts.kind', 'ledger_accounts.partner_id', 'ledger_transfers.amount'])
    .where('operation_id', '=', operationOf(reference))
    .where('step', '=', 'deposit')
    .executeTakeFirst();
  if (!row) return undefined;
  return {
    partnerId: row.partner_id ?? 0,
    wallet: row.kind === 'airtime' ? 'airtime' : 'gift',
    amount: parseMoney(row.amount),
    reference,
  };
}
