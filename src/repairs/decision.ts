import { z } from 'zod';
import type { Database, DatabaseTransaction } from '../db/connection.ts';
import { isReceiptUsed, lockReceipt, type ProviderReceipt } from '../db/repairs/receipts.ts';
import { oneOf, reference } from './fields.ts';

/** How a provider said that a payment or a top-up ended. */
interface Decision {
  readonly outcome: 'done' | 'not-done';
  readonly reference: string;
}

/** The fields of a settlement by hand. */
export const decisionFields = (question: string) =>
  z.object({
    outcome: oneOf(['done', 'not-done'], question),
    reference: reference('Reference of its answer'),
  });

/** Lets settlements under one reference of a provider be judged one after another. */
export async function lockDecision(
  transaction: DatabaseTransaction,
  { outcome, reference: receipt }: Decision,
): Promise<void> {
  if (outcome === 'done') await lockReceipt(transaction, receipt);
}

/** Whether it would be done under a reference that names another payment or top-up. */
export const isUsedBefore = async (
  database: Database,
  { of, operationId }: Pick<ProviderReceipt, 'of'> & { readonly operationId: string | null },
  { outcome, reference: receipt }: Decision,
): Promise<boolean> =>
  outcome === 'done' &&
  operationId !== null &&
  isReceiptUsed(database, { of, operationId, reference: receipt });

export const usedBefore = ({ reference: receipt }: Decision): string =>
  `The reference ${receipt} belongs to another one already: find that one, and ask the provider for the reference of this one.`;
