import { sql } from 'kysely';
import type { StoredNumber } from '../../domain/phone.ts';
import type { Company } from '../../domain/vouchers/voucher.ts';
import { type Database, type DatabaseTransaction, firstRow, onlyRow } from '../connection.ts';
import type { MessagesTable } from '../generated/tables.ts';
import type { LockedVoucher } from '../vouchers/vouchers.ts';
import { type CountedMessages, countedMessages, messageCounts, queueMessage } from './messages.ts';

/** A message whose text can be sent again, and the status of its newest sending. */
export interface ResendableMessage {
  readonly id: number;
  readonly kind: Exclude<MessagesTable['kind'], 'EXPIRY_REMINDER' | 'REVERSAL_NOTICE'>;
  readonly msisdn: StoredNumber;
  readonly status: 'QUEUED' | 'SENDING' | 'SENT' | 'REFUSED' | 'UNKNOWN' | 'CANCELLED';
}

/** SQL expression: the status of the newest sending of `message`. */
const newestStatus = sql`coalesce((
  select newest.status from message_resends as resend
  join messages as newest on newest.id = resend.message_id
  where resend.original_id = message.id order by resend.message_id desc limit 1), message.status)`;

/**
 * The message that the owner of a locked voucher may miss: the code of its open claim, or else the
 * confirmation of its last paid redemption that was not reversed. While a payment is under way its code was
 * used, and none is missed.
 */
export const findResendable = (
  database: Database,
  voucher: Pick<LockedVoucher, 'id' | 'status' | 'current_claim_id'>,
) =>
  firstRow<ResendableMessage>(database)`
    select message.id, message.kind, message.msisdn, ${newestStatus} as status
    from voucher_claims as claim join messages as message on message.claim_id = claim.id
    where claim.id = ${voucher.current_claim_id} and claim.status = 'OPEN'
      and claim.code_ciphertext is not null and claim.expires_at > clock_timestamp()
      and ${voucher.status}::text = 'REDEEM_INITIATED'
    union all
    select message.id, message.kind, message.msisdn, ${newestStatus} as status
    from (
      select id from redemptions
      where voucher_id = ${voucher.id} and status = 'POSTED' and is_done
        and ${voucher.current_claim_id}::text is null
      order by id desc limit 1) as paid
    join messages as message on message.redemption_id = paid.id and message.msisdn <> 'erased'`;

/** The message that a resend would send, for showing: nothing is locked, and the resend decides again. */
export async function readResendable(
  database: Database,
  voucherId: number,
): Promise<ResendableMessage | undefined> {
  const voucher = await database
    .selectFrom('vouchers')
    .select(['id', 'status', 'current_claim_id'])
    .where('id', '=', voucherId)
    .executeTakeFirst();
  return voucher && findResendable(database, voucher);
}

/** Reads the counts that limit the resend of a message. */
export const resendCounts = (
  transaction: DatabaseTransaction,
  { kind }: Pick<ResendableMessage, 'kind'>,
  {
    voucherId,
    company,
    numberHash,
  }: {
    readonly voucherId: number;
    readonly company: Company;
    readonly numberHash: string;
  },
) =>
  onlyRow<CountedMessages>(transaction, 'The resend has no partner')`
    select ${countedMessages(company)},
      (select extract(epoch from clock_timestamp() - max(created_at))::float8 from messages
        where voucher_id = ${voucherId} and kind = ${kind} and status <> 'CANCELLED')
        as "secondsSinceMessage"
    from partners cross join (${messageCounts(numberHash, kind)}) as numbers
    where partners.id = ${company.id}`;

/** Queues a message again as a new one; returns its id. */
export async function queueResend(
  transaction: DatabaseTransaction,
  original: ResendableMessage,
  { voucherId, operationId }: { readonly voucherId: number; readonly operationId: string },
): Promise<number> {
  const { kind, msisdn } = original;
  const messageId = await queueMessage(transaction, { kind, msisdn, voucher_id: voucherId });
  await transaction
    .insertInto('message_resends')
    .values({ message_id: messageId, original_id: original.id, operation_id: operationId })
    .execute();
  return messageId;
}

/** The newest message that an operation asked for; undefined where there is none. */
export const findResend = (database: Database, operationId: string) =>
  database
    .selectFrom('message_resends')
    .innerJoin('messages', 'messages.id', 'message_resends.message_id')
    .select(['messages.id', 'messages.kind'])
    .where('operation_id', '=', operationId)
    .where('messages.kind', 'not in', ['EXPIRY_REMINDER', 'REVERSAL_NOTICE'])
    .$narrowType<{ kind: ResendableMessage['kind'] }>()
    .orderBy('message_id', 'desc')
    .executeTakeFirst();
