import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import type { Route } from '../../domain/providers.ts';
import {
  allRows,
  changedRows,
  type Database,
  type DatabaseTransaction,
  firstRow,
  now,
} from '../connection.ts';
import { anyDigest } from '../digest-keys.ts';
import type { MerchantInvitationsTable } from '../generated/tables.ts';
import { type OutboxState, queueMessages } from '../outbox.ts';
import { routesFor } from '../providers.ts';
import { limitedTo, type RowPage } from '../row-page.ts';

export type InvitationStatus = Selectable<MerchantInvitationsTable>['status'];

/** The recipient of an invitation, and the addresses of its messages: without a number, in E.164, there is no SMS. */
type NewInvitation = Pick<Selectable<MerchantInvitationsTable>, 'merchant_id' | 'email' | 'msisdn'>;

/**
 * Writes an invitation and queues its messages, and ends the previous one. The transaction must hold the
 * merchant's row.
 */
export async function requestInvitation(
  transaction: DatabaseTransaction,
  invitation: NewInvitation,
) {
  const replaced = await replaceInvitations(
    transaction,
    sql<SqlBool>`merchant_id = ${invitation.merchant_id}`,
  ).executeTakeFirst();
  const { id } = await transaction
    .insertInto('merchant_invitations')
    .values(invitation)
    .returning('id')
    .executeTakeFirstOrThrow();
  await queueMessages(sql`
    select 'invitations', invitation.id::text, channel, merchant_id,
      'invitation-' || invitation.id || case channel when 'SMS' then '-sms' else '' end
    from merchant_invitations as invitation cross join unnest(array['SMS', 'EMAIL']) as channel
    where invitation.id = ${id} and (channel = 'EMAIL' or msisdn is not null)`).execute(
    transaction,
  );
  return { id, replacedId: replaced?.id };
}

/**
 * Ends the invitations of an account, or all of a merchant: their links would set another password. One that is being
 * used at this moment is left out: its use holds its row, and waits for the account.
 */
export async function endInvitationsOf(
  transaction: DatabaseTransaction,
  whose: { readonly accountId: number } | { readonly merchantId: number },
): Promise<void> {
  const isTheirs =
    'merchantId' in whose
      ? sql`merchant_id = ${whose.merchantId}`
      : sql`(merchant_id, email) in (
          select merchant_id, email from portal_accounts where id = ${whose.accountId})`;
  await replaceInvitations(
    transaction,
    sql<SqlBool>`id = any(array(
      select id from merchant_invitations
      where ${isTheirs} and status in ('REQUESTED', 'OPEN') for update skip locked))`,
  ).execute();
}

/** Ends the invitations of all merchants; returns their number. */
export const endAllInvitations = async (transaction: DatabaseTransaction): Promise<number> =>
  (await replaceInvitations(transaction, sql<SqlBool>`true`).execute()).length;

/** Ends the invitations that have not ended and meet a condition; a newer link or password takes their place. */
const replaceInvitations = (transaction: DatabaseTransaction, condition: RawBuilder<SqlBool>) =>
  transaction
    .updateTable('merchant_invitations')
    .set({ status: 'REPLACED', settled_at: now, token_ciphertext: null })
    .where(condition)
    .where('status', 'in', ['REQUESTED', 'OPEN'])
    .returning('id');

/**
 * Activates the link of a requested invitation for its lifetime. A lifetime that has begun does not
 * change.
 */
export async function beginInvitation(
  database: Database,
  invitationId: string,
  link: {
    readonly tokenDigest: Buffer;
    readonly tokenCiphertext: string;
    readonly lifetimeMs: number;
  },
): Promise<void> {
  await database
    .updateTable('merchant_invitations')
    .set({
      status: 'OPEN',
      token_digest: link.tokenDigest,
      token_ciphertext: link.tokenCiphertext,
      expires_at: sql<Date>`now() + make_interval(secs => ${link.lifetimeMs / 1_000})`,
    })
    .where('id', '=', invitationId)
    .where('status', '=', 'REQUESTED')
    .execute();
}

/** The content of the messages of an invitation. */
interface InvitationFacts {
  readonly email: string;
  readonly msisdn: string | null;
  readonly merchantName: string;
  /** The sealed token of the link. */
  readonly tokenCiphertext: string;
  readonly remainingSeconds: number;
  /** The routes of text messages about the merchant. */
  readonly routes: readonly Route[];
}

/** Undefined where the invitation has ended. */
export const readInvitationFacts = (database: Database, invitationId: string) =>
  firstRow<InvitationFacts>(database)`
    select invitation.email, msisdn, merchant_name as "merchantName",
      token_ciphertext as "tokenCiphertext",
      extract(epoch from invitation.expires_at - now())::float8 as "remainingSeconds",
      ${routesFor('sms', { partnerId: null, merchantId: sql`invitation.merchant_id` })} as routes
    from merchant_invitations as invitation join merchants on merchants.id = merchant_id
    where invitation.id = ${invitationId} and invitation.status = 'OPEN'
      and invitation.expires_at > now() and token_ciphertext is not null`;

/**
 * Erases a token that no message needs any more, and ends an invitation without a delivered
 * message. It follows the end of a message in the same transaction.
 */
export async function concludeInvitation(
  transaction: DatabaseTransaction,
  invitationId: string,
): Promise<void> {
  // Serialises messages that end concurrently, so that the second one sees the first.
  await sql`select from merchant_invitations where id = ${invitationId} for update`.execute(
    transaction,
  );
  const messages = sql`outbox where kind = 'invitations' and subject = ${invitationId}`;
  await sql`
    update merchant_invitations set token_ciphertext = null
    where id = ${invitationId}
      and not exists (select from ${messages} and settled_at is null)`.execute(transaction);
  await sql`
    update merchant_invitations set status = 'UNDELIVERED', settled_at = now()
    where id = ${invitationId} and status = 'OPEN'
      and not exists (select from ${messages} and state not in ('REFUSED', 'GIVEN_UP'))`.execute(
    transaction,
  );
}

/** Ends up to `batchSize` invitations whose time is over; returns the number. */
export const endExpiredInvitations = (database: Database, batchSize: number) =>
  changedRows(database)`
    update merchant_invitations
    set status = 'EXPIRED', settled_at = now(), token_ciphertext = null
    where id = any(array(
      select id from merchant_invitations where status = 'OPEN' and expires_at <= now()
      limit ${batchSize} for update skip locked))`;

/** The invitation of a link; undefined when it does not exist or is no longer valid. */
export const findOpenInvitation = (database: Database, tokenDigests: readonly Buffer[]) =>
  openInvitation(database, tokenDigests).executeTakeFirst();

/** The invitation of a link, locked until the transaction ends; its merchant is not deleted meanwhile. */
export const lockOpenInvitation = (
  transaction: DatabaseTransaction,
  tokenDigests: readonly Buffer[],
) =>
  openInvitation(transaction, tokenDigests)
    .forUpdate('invitation')
    .forKeyShare('merchants')
    .executeTakeFirst();

const openInvitation = (database: Database, tokenDigests: readonly Buffer[]) =>
  database
    .selectFrom('merchant_invitations as invitation')
    .innerJoin('merchants', 'merchants.id', 'invitation.merchant_id')
    .select([
      'invitation.id',
      'invitation.email',
      'invitation.merchant_id as merchantId',
      'merchants.merchant_name as merchantName',
    ])
    .where('token_digest', '=', anyDigest(tokenDigests))
    .where('invitation.status', '=', 'OPEN')
    .where('invitation.expires_at', '>', now)
    .where('merchants.deleted_at', 'is', null);

/** Marks an invitation as used; the transaction must hold its lock. */
export async function useInvitation(
  transaction: DatabaseTransaction,
  invitationId: string,
): Promise<void> {
  await transaction
    .updateTable('merchant_invitations')
    .set({ status: 'USED', settled_at: now, token_ciphertext: null })
    .where('id', '=', invitationId)
    .execute();
}

/** SQL expression: the state of a message; nothing is sent once its invitation has ended. */
const shownState = (message: 'sms' | 'mail') => sql`
  case when ${sql.ref(message)}.state = 'QUEUED' and invitation.status not in ('REQUESTED', 'OPEN')
    then 'CANCELLED' else ${sql.ref(message)}.state end`;

/** The invitations of a merchant, newest first, with the states of their messages. */
export const listInvitations = (database: Database, merchantId: number, page?: RowPage) =>
  allRows<ListedInvitation>(database)`
    select invitation.id, invitation.email, invitation.msisdn,
      invitation.created_at as "createdAt", invitation.expires_at as "expiresAt",
      invitation.settled_at as "settledAt",
      case when invitation.status = 'OPEN' and invitation.expires_at <= now() then 'EXPIRED'
        else invitation.status end as status,
      ${shownState('sms')} as sms, sms.problem as "smsMessage",
      sms.provider as "smsProvider", sms.delivery as "smsDelivery",
      sms.delivery_reason as "smsDeliveryReason",
      ${shownState('mail')} as mail, mail.problem as "mailMessage"
    from merchant_invitations as invitation
    left join outbox as sms on sms.kind = 'invitations'
      and sms.subject = invitation.id::text and sms.channel = 'SMS'
    left join outbox as mail on mail.kind = 'invitations'
      and mail.subject = invitation.id::text and mail.channel = 'EMAIL'
    where invitation.merchant_id = ${merchantId}
    order by invitation.created_at desc
    ${limitedTo(page)}`;

export interface ListedInvitation {
  readonly id: string;
  readonly email: string;
  readonly msisdn: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly settledAt: Date | null;
  readonly status: InvitationStatus;
  readonly sms: OutboxState | null;
  readonly smsMessage: string | null;
  readonly smsProvider: string | null;
  /** The later report of the provider; null: none. */
  readonly smsDelivery: 'DELIVERED' | 'NOT_DELIVERED' | null;
  readonly smsDeliveryReason: string | null;
  readonly mail: OutboxState | null;
  readonly mailMessage: string | null;
}
