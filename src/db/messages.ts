import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from './connection.js';
import type { MessagesTable } from './schema.js';

export interface NewMessage {
  readonly kind: MessagesTable['kind'];
  /** E.164 */
  readonly msisdn: string;
  readonly voucherId: number;
  readonly claimId?: string;
  readonly redemptionId?: number;
}

/** Queues a message; its text is made when it is sent, so no code is stored in clear. */
export async function queueMessage(
  transaction: DatabaseTransaction,
  message: NewMessage,
): Promise<number> {
  const { id } = await transaction
    .insertInto('messages')
    .values({
      kind: message.kind,
      msisdn: message.msisdn,
      voucher_id: message.voucherId,
      claim_id: message.claimId ?? null,
      redemption_id: message.redemptionId ?? null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** A message that this call may send; undefined when it was taken before or is cancelled. */
export const takeMessage = (database: Database, messageId: number) =>
  database
    .updateTable('messages')
    .set({ status: 'SENDING' })
    .where('id', '=', messageId)
    .where('status', '=', 'QUEUED')
    .returning(['msisdn', 'claim_id', 'redemption_id'])
    .executeTakeFirst();

/** The message that a claim or a redemption queued, undefined where it queued none. */
export const findMessage = (
  database: Database,
  subject: { readonly claimId: string } | { readonly redemptionId: number },
): Promise<{ id: number } | undefined> =>
  database
    .selectFrom('messages')
    .select('id')
    .where((where) =>
      'claimId' in subject
        ? where('claim_id', '=', subject.claimId)
        : where('redemption_id', '=', subject.redemptionId),
    )
    .executeTakeFirst();

/** How sending a message ended, as far as it is recorded. */
export const messageStatus = (database: Database, messageId: number) =>
  database
    .selectFrom('messages')
    .select(['status', 'claim_id', 'provider_message'])
    .where('id', '=', messageId)
    .executeTakeFirstOrThrow();

/** Records how sending ended; `QUEUED` puts a message back that provably was not sent. */
export async function recordMessage(
  transaction: Database,
  messageId: number,
  outcome: {
    readonly status: 'QUEUED' | 'SENT' | 'REFUSED' | 'UNKNOWN';
    readonly providerReference?: string;
    readonly providerMessage?: string;
  },
): Promise<void> {
  await transaction
    .updateTable('messages')
    .set({
      status: outcome.status,
      provider_reference: outcome.providerReference ?? null,
      provider_message: outcome.providerMessage ?? null,
      settled_at: sql<Date>`now()`,
    })
    .where('id', '=', messageId)
    .where('status', '=', 'SENDING')
    .execute();
}

/** The confirmation of a redemption that was not paid is not sent. */
export async function cancelConfirmation(
  transaction: DatabaseTransaction,
  redemptionId: number,
): Promise<void> {
  await transaction
    .updateTable('messages')
    .set({ status: 'CANCELLED', settled_at: sql<Date>`now()` })
    .where('redemption_id', '=', redemptionId)
    .where('status', '=', 'QUEUED')
    .execute();
}
