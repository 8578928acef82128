import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from '../connection.ts';
import { lockName } from '../lock-name.ts';
import { providerOf } from '../positions/placements.ts';

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
  redemption: { placed: 'payment', repair: 'settle-payment' },
  topup: { placed: 'top-up', repair: 'settle-top-up' },
} as const;

/**
 * Whether a reference names another payment or attempt at the same provider, also one that a restore lost, or
 * one that a repair is settling.
 */
export async function isReceiptUsed(
  database: Database,
  { of, operationId, reference }: ProviderReceipt,
): Promise<boolean> {
  const { placed, repair } = names[of];
  // As people copy it: providers write capitals.
  const written = [reference, reference.toUpperCase(), reference.toLowerCase()];
  const { rows } = await sql<{ isUsed: boolean }>`
    select exists (
        select from placements as other
        where other.provider_reference = any(${written}::text[]) and other.kind = ${placed}
          and other.operation_id is distinct from ${operationId}
          and other.provider = ${providerOf(sql`${operationId}`)})
      or exists (
        select from repairs
        where state = 'RUNNING' and kind = ${repair} and arguments ->> 'outcome' = 'done'
          and arguments ->> 'reference' = any(${written}::text[])
          and arguments ->> 'operationId' <> ${operationId}) as "isUsed"`.execute(database);
  return rows[0]?.isUsed ?? false;
}
