import { type Expression, type Insertable, sql } from 'kysely';
import type { StoredNumber } from '../../domain/phone.ts';
import type { Route, SmsProviderName } from '../../domain/providers.ts';
import type { Count, MessageCounts } from '../../domain/vouchers/claim.ts';
import type { MessageLanguage } from '../../domain/vouchers/messages.ts';
import type { Company } from '../../domain/vouchers/voucher.ts';
import {
  addRow,
  type Database,
  type DatabaseTransaction,
  firstRow,
  firstValue,
  now,
} from '../connection.ts';
import type { MessagesTable } from '../generated/tables.ts';
import {
  type CompanyBudgets,
  companyBudgets,
  companyMessagesToday,
  countWithin,
  secondsLeftOfDay,
} from '../limits/daily-limits.ts';
import { hasNumber, numberKey } from '../phone-numbers.ts';
import { routesFor } from '../providers.ts';
import { messageFailovers } from './delivery-reports.ts';

/** A message to be queued, and why it is not sent, if it is not; its row is written anyway. */
type NewMessage = Pick<
  Insertable<MessagesTable>,
  'kind' | 'msisdn' | 'voucher_id' | 'claim_id' | 'redemption_id' | 'reversal_id'
> & { readonly leftOut?: string };

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
 * SQL expression: the messages of a kind to the number of this hash on a day, and the refused ones
 * of an hour. It also has the time when the oldest of either leaves its window.
 */
export const messageCounts = (
  hash: string | undefined,
  kind: MessagesTable['kind'] = 'VERIFICATION_CODE',
) => sql`
  select ${countWithin(sql`interval '1 day'`, mayHaveArrived)} as "messagesToday",
    ${countWithin(
      sql`interval '1 hour'`,
      sql`status = 'REFUSED' and created_at > now() - interval '1 hour'`,
    )} as "refusedMessages"
  from messages
  where ${hasNumber('msisdn', hash)} and kind = ${kind}
    and created_at > now() - interval '1 day'`;

/** The limits of a message; the transaction must hold the locks of voucher and number. */
export interface CountedMessages
  extends CompanyBudgets,
    Pick<MessageCounts, 'messagesToday' | 'refusedMessages'> {
  /** The messages of the company that asks. */
  readonly companyMessages: Count;
  /** Null where the voucher has had no such message. */
  readonly secondsSinceMessage: number | null;
}

/**
 * SQL expression: the columns of `CountedMessages` except the last, in a query that joins `messageCounts`, partners
 * and merchants.
 */
export const countedMessages = (company: Company) => sql`
  "messagesToday", "refusedMessages", ${companyBudgets(company)}, jsonb_build_object(
    'count', ${companyMessagesToday(company)},
    'retryAfterSeconds', ${secondsLeftOfDay}) as "companyMessages"`;

/** The confirmations of a day to the number of this hash. */
export const confirmationsToday = (
  transaction: DatabaseTransaction,
  hash: string,
): Promise<number> =>
  firstValue(transaction, 0)`
    select count(*) from messages
    where ${hasNumber('msisdn', hash)} and kind = 'REDEMPTION_CONFIRMATION' and ${mayHaveArrived}
      and created_at > now() - interval '1 day'`;

/** Queues a message. Its text is created when it is sent, so no code is stored in clear. */
export const queueMessage = (
  transaction: DatabaseTransaction,
  { leftOut, ...message }: NewMessage,
) =>
  addRow(transaction, 'messages', {
    ...message,
    ...(leftOut === undefined
      ? {}
      : { status: 'CANCELLED', provider_message: leftOut, settled_at: now }),
  });

/** The message of a claim, a redemption or a reversal; undefined where there is none. */
export const findMessage = (
  database: Database,
  column: 'claim_id' | 'redemption_id' | 'reversal_id',
  value: number | string,
) => database.selectFrom('messages').select('id').where(column, '=', value).executeTakeFirst();

/**
 * Cancels queued messages; messages in sending or sent do not change. A message that was provably not sent does not
 * count as refused, so that an outage of the provider does not lock the number out.
 */
export async function cancelQueuedMessages(
  database: Database,
  column: 'id' | 'claim_id' | 'redemption_id' | 'voucher_id',
  value: number | string,
): Promise<void> {
  await database
    .updateTable('messages')
    .set({ status: 'CANCELLED', settled_at: now })
    .where(column, '=', value)
    .where('status', '=', 'QUEUED')
    .execute();
}

/** The values in the text of a code; amounts are decimal strings. */
interface CodeFacts {
  /** Null once the claim has ended, or its time is over. */
  readonly codeCiphertext: string | null;
  readonly amount: string;
  readonly merchantName: string | null;
  readonly secondsLeft: number;
}

/** The values in the text of a reminder: a voucher that can still be redeemed. */
interface ReminderFacts {
  /** Decimal string. */
  readonly remaining: string;
  /** ISO 8601 */
  readonly expiresAt: string;
  /** Null where any merchant takes the voucher. */
  readonly merchantName: string | null;
}

/** The values in the text of a confirmation or of a notice of a reversal; amounts are decimal strings. */
export interface PaymentTextFacts {
  readonly toMerchant: string;
  readonly serviceFee: string;
  readonly remaining: string;
  readonly merchantName: string;
  readonly platformReference: string;
}

/** A message to be sent, and what its text is about. */
export interface TakenMessage {
  readonly kind: MessagesTable['kind'];
  readonly msisdn: StoredNumber;
  readonly claim_id: string | null;
  readonly language: MessageLanguage;
  /** The facts of the message of a claim; null for other messages. */
  readonly code: CodeFacts | null;
  /** The facts of the message of a redemption or a reversal; null for other messages. */
  readonly payment: PaymentTextFacts | null;
  /** The facts of a reminder; null for other messages, and where the voucher cannot be redeemed any more. */
  readonly reminder: ReminderFacts | null;
  /** The routes of messages about vouchers of this partner and merchant. */
  readonly routes: readonly Route[];
}

/** SQL expression: the facts of the message of a claim. A worker that was away may come after the claim's time. */
const codeFacts = sql`(
  select jsonb_build_object(
    'codeCiphertext', case when claim.expires_at > clock_timestamp() then claim.code_ciphertext end,
    'amount', coalesce(claim.amount, voucher.remaining)::text,
    'merchantName', merchant.merchant_name,
    'secondsLeft', extract(epoch from claim.expires_at - clock_timestamp())::float8)
  from voucher_claims as claim
  join vouchers as voucher on voucher.id = claim.voucher_id
  left join merchants as merchant
    on merchant.id = claim.company_id and claim.company_kind = 'merchant'
  where claim.id = message.claim_id)`;

/** SQL expression: the facts of the message of a redemption or a reversal. */
const paymentFacts = sql`(
  select jsonb_build_object('toMerchant', redemption.to_merchant::text,
    'serviceFee', redemption.service_fee::text, 'remaining', voucher.remaining::text,
    'merchantName', merchant.merchant_name, 'platformReference', redemption.platform_reference)
  from redemptions as redemption
  join vouchers as voucher on voucher.id = redemption.voucher_id
  join merchants as merchant on merchant.id = redemption.merchant_id
  where redemption.id = coalesce(message.redemption_id,
    (select redemption_id from redemption_reversals where id = message.reversal_id)))`;

/** SQL expression: the facts of a reminder. */
const reminderFacts = sql`(
  select jsonb_build_object('remaining', voucher.remaining::text, 'expiresAt', voucher.expires_at,
    'merchantName', case when is_restricted then merchant_name end)
  from vouchers as voucher join merchants as merchant on merchant.id = voucher.merchant_id
  where message.kind = 'EXPIRY_REMINDER' and voucher.id = message.voucher_id
    and voucher.status in ('ACTIVE', 'REDEEM_INITIATED') and voucher.expires_at > now())`;

/** SQL expression: the routes of a message, by its voucher. */
const messageRoutes = sql<readonly Route[]>`(
  select ${routesFor('sms', {
    partnerId: sql`voucher.partner_id`,
    merchantId: sql`voucher.merchant_id`,
  })}
  from vouchers as voucher where voucher.id = message.voucher_id)`;

/**
 * Takes a message for sending, with what its text says now; undefined when it was taken before or
 * is cancelled. A repeated message has the subject of its original.
 */
export const takeMessage = (database: Database, messageId: number) =>
  firstRow<TakenMessage>(database)`
    with taken as (
      update messages set status = 'SENDING', settled_at = null,
        sending_since = clock_timestamp()
      where id = ${messageId} and status = 'QUEUED'
      returning id, kind, msisdn, voucher_id, claim_id, redemption_id, reversal_id, language
    ), message as (
      select taken.kind, taken.msisdn, taken.voucher_id, coalesce(taken.claim_id, original.claim_id) as claim_id,
        coalesce(taken.redemption_id, original.redemption_id) as redemption_id,
        taken.reversal_id, taken.language
      from taken
      left join message_resends as resend on resend.message_id = taken.id
      left join messages as original on original.id = resend.original_id
    )
    select kind, msisdn, claim_id, language, ${codeFacts} as code, ${paymentFacts} as payment,
      ${reminderFacts} as reminder, ${messageRoutes} as routes
    from message`;

/** The recorded outcome of sending a message; while it is SENDING, for how long it has been. */
export const messageStatus = (database: Database, messageId: number) =>
  database
    .selectFrom('messages')
    .select([
      'status',
      'provider_message',
      'provider',
      messageFailovers(sql.ref('messages.id')).as('failovers'),
      sql<number>`extract(epoch from clock_timestamp() - coalesce(sending_since, created_at))::float8`.as(
        'sendingSeconds',
      ),
    ])
    .where('id', '=', messageId)
    .executeTakeFirstOrThrow();

/** Records that the sending of a message was interrupted; the worker that sends may still correct it. */
export async function recordCutOff(
  database: Database,
  messageId: number,
  providerMessage: string,
): Promise<void> {
  await database
    .updateTable('messages')
    .set({
      status: 'UNKNOWN',
      provider_message: providerMessage,
      settled_at: now,
    })
    .where('id', '=', messageId)
    .where('status', '=', 'SENDING')
    .execute();
}

/**
 * Records the outcome of a sending, by the sending worker: also where another worker has meanwhile recorded the
 * sending as interrupted. `QUEUED` returns a message that was provably not sent. A code whose claim was answered with
 * an unknown outcome stays unknown, because no workflow would send it; it may be sent again on request. Returns
 * whether the provider's delivery report came before this outcome.
 */
export async function recordMessage(
  transaction: Database,
  messageId: number,
  outcome: {
    readonly status: 'QUEUED' | 'SENT' | 'REFUSED' | 'UNKNOWN' | 'CANCELLED';
    readonly providerReference?: string;
    readonly providerMessage?: string;
    /** The providers that were asked to send it; absent where none was. */
    readonly provider?: SmsProviderName;
  },
): Promise<boolean> {
  const isQueued = outcome.status === 'QUEUED';
  const staysUnknown = sql`status = 'UNKNOWN' and claim_id is not null`;
  const recorded = await transaction
    .updateTable('messages')
    .set({
      status: isQueued
        ? sql`case when ${staysUnknown} then status else 'QUEUED' end`
        : outcome.status,
      provider_reference: outcome.providerReference ?? null,
      provider_message: outcome.providerMessage ?? null,
      ...(outcome.provider && { provider: outcome.provider }),
      settled_at: isQueued ? sql`case when ${staysUnknown} then settled_at end` : now,
      ...(isQueued && { due_at: sql<Date>`now() + interval '1 minute'` }),
      sending_since: null,
    })
    .where('id', '=', messageId)
    .where((where) =>
      where('status', '=', 'SENDING').or(
        where.and({ status: 'UNKNOWN' }).and('sending_since', 'is not', null),
      ),
    )
    .returning('delivery')
    .executeTakeFirst();
  return recorded !== undefined && recorded.delivery !== null;
}
