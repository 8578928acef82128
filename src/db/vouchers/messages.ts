import { type Expression, sql } from 'kysely';
import type { StoredNumber } from '../../domain/phone.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';
import { hasNumber, numberKey } from '../numbers/number-key.ts';
import type { MessagesTable } from '../schema/all-tables.ts';

export interface NewMessage {
  readonly kind: MessagesTable['kind'];
  readonly msisdn: StoredNumber;
  readonly voucherId: number;
  readonly claimId?: string;
  readonly redemptionId?: number;
  readonly reversalId?: number;
  /** The reason why it is not sent; it is recorded anyway. */
  readonly leftOut?: string;
}

/**
 * Serialises transactions that count or queue messages to this number, so that concurrent requests
 * cannot exceed the limits. Acquired after the voucher's lock and held until the transaction ends.
 */
export async function lockNumber(
  transaction: DatabaseTransaction,
  msisdn: StoredNumber,
): Promise<void> {
  await sql`select ${numberLock(sql`${msisdn}::text`)}`.execute(transaction);
}

/** SQL expression: locks a number until the transaction ends. */
export const numberLock = (msisdn: Expression<unknown>) =>
  sql<string | null>`pg_advisory_xact_lock(hashtextextended(${numberKey(msisdn)}, 0))::text`;

/**
 * Condition on `messages`: delivered, possibly delivered, or still deliverable. Excludes messages
 * that the provider refused or that were cancelled.
 */
export const mayHaveArrived = sql<boolean>`status not in ('REFUSED', 'CANCELLED')`;

/**
 * SQL expression: the messages of a kind of a day to the number of this hash, the refused ones of an hour, and the
 * time when the oldest of either leaves its window.
 */
export const messageCounts = (
  hash: string | undefined,
  kind: MessagesTable['kind'] = 'VERIFICATION_CODE',
) => sql`
  select (count(*) filter (where ${mayHaveArrived}))::int as messages_today,
    coalesce(ceil(extract(epoch from min(created_at) filter (where ${mayHaveArrived})
      + interval '1 day' - now()))::int, 0) as messages_retry_seconds,
    (count(*) filter (where status = 'REFUSED' and created_at > now() - interval '1 hour'))::int
      as refused_messages,
    coalesce(ceil(extract(epoch from min(created_at) filter (
        where status = 'REFUSED' and created_at > now() - interval '1 hour')
      + interval '1 hour' - now()))::int, 0) as refused_messages_retry_seconds
  from messages
  where ${hasNumber('msisdn', hash)} and kind = ${kind}
    and created_at > now() - interval '1 day'`;

/** The confirmations of a day to the number of this hash. */
export async function confirmationsToday(
  transaction: DatabaseTransaction,
  hash: string,
): Promise<number> {
  const { confirmations } = await transaction
    .selectFrom('messages')
    .select(({ fn }) => fn.countAll<number>().as('confirmations'))
    .where(hasNumber('msisdn', hash))
    .where('kind', '=', 'REDEMPTION_CONFIRMATION')
    .where(mayHaveArrived)
    .where('created_at', '>', sql<Date>`now() - interval '1 day'`)
    .executeTakeFirstOrThrow();
  return confirmations;
}

/** Queues a message. Its text is created when it is sent, so no code is stored in clear. */
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
      reversal_id: message.reversalId ?? null,
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

/** The message of a claim, a redemption or a reversal; undefined where there is none. */
export const findMessage = (
  database: Database,
  subject:
    | { readonly claimId: string }
    | { readonly redemptionId: number }
    | { readonly reversalId: number },
): Promise<{ id: number } | undefined> =>
  database
    .selectFrom('messages')
    .select('id')
    .where((where) => {
      if ('claimId' in subject) return where('claim_id', '=', subject.claimId);
      return 'redemptionId' in subject
        ? where('redemption_id', '=', subject.redemptionId)
        : where('reversal_id', '=', subject.reversalId);
    })
    .executeTakeFirst();

/** Cancels queued messages; messages in sending or sent do not change. */
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
 * Cancels the message of a claim that was provably not sent. It does not count as refused, so that
 * an outage of the provider does not lock the number out.
 */
export async function giveUpMessage(
  transaction: DatabaseTransaction,
  claimId: string,
): Promise<void> {
  await cancelQueued(transaction, 'claim_id', claimId);
}

/** Cancels a confirmation that was provably not sent after all attempts. */
export async function giveUpConfirmation(database: Database, messageId: number): Promise<void> {
  await cancelQueued(database, 'id', messageId);
}

/** Cancels the confirmation of an unpaid redemption. */
export async function cancelConfirmation(
  transaction: DatabaseTransaction,
  redemptionId: number,
): Promise<void> {
  await cancelQueued(transaction, 'redemption_id', redemptionId);
}
