import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from '../connection.ts';

/** A merchant's payout account: key and value of a GSMA party. */
export interface PayoutAccount {
  readonly id: number;
  readonly key: string;
  readonly value: string;
  /** Whom the operator expects to hold it. */
  readonly holder: string | null;
}

export interface NewPayoutAccount extends Omit<PayoutAccount, 'id' | 'holder'> {
  readonly merchantId: number;
  readonly holder?: string | null;
}

/** The current payout accounts, by the merchant's id. */
export async function currentPayoutAccounts(
  database: Database | DatabaseTransaction,
  merchantIds: readonly number[],
): Promise<ReadonlyMap<number, PayoutAccount>> {
  const rows = await database
    .selectFrom('merchant_payout_accounts')
    .select([
      'id',
      'merchant_id',
      'party_key as key',
      'party_value as value',
      'holder_name as holder',
    ])
    .where('merchant_id', '=', sql<number>`any(${merchantIds}::bigint[])`)
    .where('replaced_at', 'is', null)
    .execute();
  return new Map(rows.map(({ merchant_id, ...account }) => [merchant_id, account]));
}

/**
 * Replaces the payout accounts of merchants, whose rows the transaction has locked; previous ones
 * stay as history. Returns the ids of the new accounts, by the merchant's id.
 */
export async function replacePayoutAccounts(
  transaction: DatabaseTransaction,
  accounts: readonly NewPayoutAccount[],
): Promise<ReadonlyMap<number, number>> {
  await transaction
    .updateTable('merchant_payout_accounts')
    .set({ replaced_at: sql<Date>`now()` })
    .where('merchant_id', '=', sql<number>`any(${accounts.map((one) => one.merchantId)}::bigint[])`)
    .where('replaced_at', 'is', null)
    .execute();
  const added = await transaction
    .insertInto('merchant_payout_accounts')
    .values(
      accounts.map(({ merchantId, key, value, holder = null }) => ({
        merchant_id: merchantId,
        party_key: key,
        party_value: value,
        holder_name: holder,
      })),
    )
    .returning(['id', 'merchant_id'])
    .execute();
  return new Map(added.map(({ id, merchant_id }) => [merchant_id, id]));
}
