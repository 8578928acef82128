import { sql } from 'kysely';
import type { Database } from '../connection.ts';

/** What a callback of M-Pesa told. */
export interface NewMpesaResult {
  /** Of the payment itself, or the answer to an inquiry. */
  readonly kind: 'payment' | 'inquiry';
  /** Our reference of the payment. */
  readonly reference: string;
  /** One for each request to the provider. */
  readonly conversationId: string;
  readonly resultCode: string;
  readonly description: string;
  readonly transactionStatus: string | null;
  readonly receipt: string | null;
  readonly difference: 'reference' | 'amount' | 'payee' | null;
}

/**
 * Stores a result once. False where it was stored before and an inquiry has used it; until then the callback that
 * brought it may have been lost before anybody was told.
 */
export async function addMpesaResult(database: Database, result: NewMpesaResult): Promise<boolean> {
  const added = await database
    .insertInto('mpesa_results')
    .values({
      kind: result.kind,
      reference: result.reference,
      conversation_id: result.conversationId,
      result_code: result.resultCode,
      description: result.description,
      transaction_status: result.transactionStatus,
      receipt: result.receipt,
      difference: result.difference,
    })
    .onConflict((conflict) =>
      conflict.columns(['reference', 'kind', 'conversation_id']).doNothing(),
    )
    .returning('id')
    .execute();
  if (added.length > 0) return true;
  const unused = await database
    .selectFrom('mpesa_results')
    .select('id')
    .where('reference', '=', result.reference)
    .where('kind', '=', result.kind)
    .where('conversation_id', '=', result.conversationId)
    .where('used_at', 'is', null)
    .executeTakeFirst();
  return unused !== undefined;
}

const columns = sql`result_code as "resultCode", description,
  transaction_status as "transactionStatus", receipt, difference`;
type FoundResult = Pick<
  NewMpesaResult,
  'resultCode' | 'description' | 'transactionStatus' | 'receipt' | 'difference'
>;

/** The results that M-Pesa's adapter reads. */
export const mpesaResultsIn = (database: Database) => ({
  /** The newest result of a payment itself. */
  async ofPayment(reference: string): Promise<FoundResult | undefined> {
    const { rows } = await sql<FoundResult>`
      select ${columns} from mpesa_results
      where reference = ${reference}::uuid and kind = 'payment'
      order by id desc limit 1`.execute(database);
    return rows[0];
  },

  /** The answers to inquiries that were not used before, newest first; marks them as used. */
  async takeAnswers(reference: string): Promise<readonly FoundResult[]> {
    const { rows } = await sql<FoundResult & { id: number }>`
      update mpesa_results set used_at = now()
      where reference = ${reference}::uuid and kind = 'inquiry' and used_at is null
      returning id, ${columns}`.execute(database);
    return rows.toSorted((one, other) => other.id - one.id);
  },
});
