import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from '../connection.js';
import type { MessagesTable } from '../schema/all-tables.js';

export interface NewMessage {
  readonly kind: MessagesTable['kind'];
  /** E.164 */
  readonly msisdn: string;
  readonly voucherId: number;
  readonly claimId?: string;
  readonly redemptionId?: number;
  /** Why it will not be sent; it is recorded all the same. */
  readonly leftOut?: string;
}

/**
 * Waits until no other transaction counts or queues messages to this number, so that requests at the
 * same moment cannot pass the caps together. Taken after the voucher's lock, and kept until the end.
 */
export async function lockNumber(transaction: DatabaseTransaction, msisdn: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${msisdn}, 0))`.execute(transaction);
}

/**
 * Condition on `messages`: it reached somebody, or may have, or may yet. What the provider refused
 * and what was given up unsent never did.
 */
export const mayHaveArrived = sql<boolean>`status not in ('REFUSED', 'CANCELLED')`;

/**
 * Part of a query: the verification codes of a day to a number, those of an hour that its provider
 * refused, and when the oldest of either will be forgotten.
 */
export const messageCounts = (msisdn: string | null) => sql`
  select (count(*) filter (where ${mayHaveArrived}))::int as messages_today,
    coalesce(ceil(extract(epoch from min(created_at) filter (where ${mayHaveArrived})
      + interval '1 day' - now()))::int, 0) as messages_retry_seconds,
    (count(*) filter (where status = 'REFUSED' and created_at > now() - interval '1 hour'))::int
      as refused_messages,
    coalesce(ceil(extract(epoch from min(created_at) filter (
        where status = 'REFUSED' and created_at > now() - interval '1 hour')
      + interval '1 hour' - now()))::int, 0) as refused_messages_retry_seconds
  from messages
  where msisdn = ${msisdn} and kind = 'VERIFICATION_CODE'
    and created_at > now() - interval '1 day'`;

/** The confirmations of a day to a number. */
export async function confirmationsToday(
  transaction: DatabaseTransaction,
  msisdn: string,
): Promise<number> {
  const { confirmations } = await transaction
    .selectFrom('messages')
    .select(({ fn }) => fn.countAll<number>().as('confirmations'))
    .where('msisdn', '=', msisdn)
    .where('kind', '=', 'REDEMPTION_CONFIRMATION')
    .where(mayHaveArrived)
    .where('created_at', '>', sql<Date>`now() - interval '1 day'`)
    .executeTakeFirstOrThrow();
  return confirmations;
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
      ...(message.leftOut === undefined
        ? {}
        : {
            status: 'CANCELLED',
            provider_message: message.leftOut,
            settled_at: sql<Date>`now()`,
          }),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** A message that this call may send; undefined when it was taken before or is cancelled. */
export const takeMessage = (database: Database, messageId: number) =>
  database
    .updateTable('messages')
    .set({ status: 'SENDING', settled_at: null })
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
      settled_at: outcome.status === 'QUEUED' ? null : sql<Date>`now()`,
    })
    .where('id', '=', messageId)
    .where('status', '=', 'SENDING')
    .execute();
}

/** Cancels what waits to be sent; what is being sent or was sent stays as it is. */
const cancelQueued = (
  database: Database,
  column: 'id' | 'claim_id' | 'redemption_id',
  value: number | string,
) =>
  database
    .updateTable('messages')
    .set({ status: 'CANCELLED', settled_at: sql<Date>`now()` })
    .where(column, '=', value)
    .where('status', '=', 'QUEUED')
    .execute();

/**
 * Gives up the message of a claim that provably was not sent. Its provider has refused nothing, so
 * that an outage keeps no number from claiming once it is over.
 */
export async function giveUpMessage(
  transaction: DatabaseTransaction,
  claimId: string,
): Promise<void> {
  await cancelQueued(transaction, 'claim_id', claimId);
}

/** Gives up a confirmation that provably was not sent, however often it was tried. */
export async function giveUpConfirmation(database: Database, messageId: number): Promise<void> {
  await cancelQueued(database, 'id', messageId);
}

/** The confirmation of a redemption that was not paid is not sent. */
export async function cancelConfirmation(
  transaction: DatabaseTransaction,
  redemptionId: number,
): Promise<void> {
  await cancelQueued(transaction, 'redemption_id', redemptionId);
}
