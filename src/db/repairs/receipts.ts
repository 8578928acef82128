import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from '../connection.ts';
import { lockName } from '../lock-name.ts';

/** A provider's reference, under which an operation is settled by hand. */
export interface ProviderReceipt {
  readonly of: 'redemption' | 'topup';
  readonly operationId: string;
  readonly reference: string;
}

/** Lets settlements under one reference be judged one after another, until the transaction ends. */
export const lockReceipt = (transaction: DatabaseTransaction, reference: string): Promise<void> =>
  lockName(transaction, `receipt ${reference.toUpperCase()}`);

const names = {
  redemption: { table: 'redemptions', recovered: 'payment', repair: 'settle-payment' },
  topup: { table: 'topup_attempts', recovered: 'top-up', repair: 'settle-top-up' },
} as const;

/**
 * Whether a reference names another payment or attempt at the same provider, one that was recovered, or one
 * that a repair is settling.
 */
export async function isReceiptUsed(
  database: Database,
  { of, operationId, reference }: ProviderReceipt,
): Promise<boolean> {
  const { table, recovered, repair } = names[of];
  // As people copy it: providers write capitals.
  const written = [reference, reference.toUpperCase(), reference.toLowerCase()];
  const { rows } = await sql<{ isUsed: boolean }>`
    with mine as (select provider from ${sql.table(table)} where operation_id = ${operationId})
    select exists (
        select from ${sql.table(table)} as other, mine
        where other.provider_reference = any(${written}::text[])
          and other.operation_id <> ${operationId}
          and other.provider = mine.provider)
      or exists (
        select from recovered_payments as other, mine
        where other.provider_reference = any(${written}::text[]) and other.kind = ${recovered}
          and other.settled_by is distinct from 'repetition'
          and other.provider = mine.provider)
      or exists (
        select from repairs
        where state = 'RUNNING' and kind = ${repair} and arguments ->> 'outcome' = 'done'
          and arguments ->> 'reference' = any(${written}::text[])
          and arguments ->> 'operationId' <> ${operationId}) as "isUsed"`.execute(database);
  return rows[0]?.isUsed ?? false;
}
