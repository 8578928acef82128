import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { SmsProviderName } from '../../domain/providers.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';
import { anyDigest } from '../digest-keys.ts';
import type { InvitationMessagesTable, MerchantInvitationsTable } from '../generated/tables.ts';

export type InvitationChannel = InvitationMessagesTable['channel'];
export type InvitationStatus = Selectable<MerchantInvitationsTable>['status'];
type InvitationMessageStatus = Selectable<InvitationMessagesTable>['status'];

/** Cancels the unsent messages of an invitation. */
async function cancelInvitationMessages(
  transaction: DatabaseTransaction,
  invitationId: string,
): Promise<void> {
  await transaction
    .updateTable('invitation_messages')
    .set({ status: 'CANCELLED', settled_at: sql<Date>`now()` })
    .where('invitation_id', '=', invitationId)
    .where('status', '=', 'QUEUED')
    .execute();
}

/** One of the two messages of an invitation. */
export interface InvitationMessageKey {
  readonly invitationId: string;
  readonly channel: InvitationChannel;
}

/**
 * Takes a message of an open invitation for sending; undefined when it was taken before, or the
 * invitation has ended. An e-mail can be taken again when its sending has lasted longer than one can: it was
 * interrupted.
 */
export async function takeInvitationMessage(
  database: Database,
  { invitationId, channel }: InvitationMessageKey,
  longestSeconds: number,
): Promise<InvitationMessage | undefined> {
  const { rows } = await sql<InvitationMessage>`
    update invitation_messages as message
    set status = 'SENDING', sending_since = clock_timestamp()
    from merchant_invitations as invitation join merchants on merchants.id = merchant_id
    where invitation_id = ${invitationId} and channel = ${channel}
      and (message.status = 'QUEUED' or message.status = 'SENDING' and channel = 'EMAIL'
        and (sending_since is null
          or sending_since < clock_timestamp() - make_interval(secs => ${longestSeconds}::float8)))
      and invitation.id = invitation_id and invitation.status = 'OPEN'
      and invitation.expires_at > now()
    returning invitation.email, msisdn, merchant_name as "merchantName", token_ciphertext as "tokenCiphertext",
      extract(epoch from invitation.expires_at - now())::float8 as "remainingSeconds",
      sending_since::text as "sendingSince"`.execute(database);
  return rows[0];
}

/** The data of a message. */
export interface InvitationMessage {
  readonly email: string;
  readonly msisdn: string | null;
  readonly merchantName: string;
  readonly tokenCiphertext: string | null;
  readonly remainingSeconds: number;
  /** Tells this sending from a later one. Text, because a Date has fewer digits. */
  readonly sendingSince: string;
}

/** The recorded outcome of sending a message; while it is SENDING, for how long it has been. */
export const invitationMessageStatus = (
  database: Database,
  { invitationId, channel }: InvitationMessageKey,
) =>
  database
    .selectFrom('invitation_messages')
    .select(['status', 'provider_message', 'provider'])
    .select(
      sql<number>`extract(epoch from clock_timestamp() - coalesce(sending_since, created_at))::float8`.as(
        'sendingSeconds',
      ),
    )
    .where('invitation_id', '=', invitationId)
    .where('channel', '=', channel)
    .executeTakeFirstOrThrow();

/**
 * Records the outcome of a sending, by the attempt that sends. It counts where no later attempt sends, also where
 * one has taken the sending for interrupted; a message that a provider has taken is sent in any case. `QUEUED` returns a
 * message that was provably not sent; one that its workflow has settled as unknown stays so, because nothing would
 * send it. The link's token is erased once no message needs it.
 *
 * @returns whether it counted
 */
export function recordInvitationMessage(
  database: Database,
  message: InvitationMessageKey & Pick<InvitationMessage, 'sendingSince'>,
  outcome: {
    readonly status: Extract<InvitationMessageStatus, 'QUEUED' | 'SENT' | 'REFUSED' | 'UNKNOWN'>;
    readonly providerReference?: string;
    readonly providerMessage?: string;
    /** Who was asked to send a text message. */
    readonly provider?: SmsProviderName;
  },
): Promise<boolean> {
  const { status, providerReference, providerMessage, provider } = outcome;
  const isSettled = sql`${status} <> 'QUEUED' or status = 'UNKNOWN'`;
  const isOwn = sql`
    sending_since = ${message.sendingSince}::timestamptz and status in ('SENDING', 'UNKNOWN')`;
  return change(
    database,
    message,
    sql`status = case when ${status} = 'QUEUED' and status = 'UNKNOWN' then status else ${status} end,
      provider_reference = ${providerReference ?? null}, provider_message = ${providerMessage ?? null},
      provider = coalesce(${provider ?? null}, provider),
      settled_at = case when ${isSettled} then now() end, sending_since = null`,
    sql`(${isOwn} or ${status} = 'SENT' and status <> 'SENT')`,
  );
}

/**
 * Records that a sending was interrupted, which may still be corrected by who sends. An e-mail of an open
 * invitation stays in sending: it is sent again.
 */
export async function cutOffInvitationMessage(
  database: Database,
  message: InvitationMessageKey,
  providerMessage: string,
): Promise<void> {
  await change(
    database,
    message,
    sql`status = 'UNKNOWN', provider_message = ${providerMessage}, settled_at = now()`,
    sql`status = 'SENDING' and (channel = 'SMS' or not exists (
      select from merchant_invitations
      where id = invitation_id and status = 'OPEN' and expires_at > now()))`,
  );
}

/** Lets the next attempt take an e-mail at once: this one ends without an outcome. */
export async function releaseInvitationMessage(
  database: Database,
  {
    invitationId,
    channel,
    sendingSince,
  }: InvitationMessageKey & Pick<InvitationMessage, 'sendingSince'>,
): Promise<void> {
  await sql`
    update invitation_messages set sending_since = null
    where invitation_id = ${invitationId} and channel = ${channel} and status = 'SENDING'
      and sending_since = ${sendingSince}::timestamptz`.execute(database);
}

/** Changes a message where a condition holds, and erases the token that no message needs any more. */
function change(
  database: Database,
  { invitationId, channel }: InvitationMessageKey,
  set: RawBuilder<unknown>,
  where: RawBuilder<unknown>,
): Promise<boolean> {
  return database.transaction().execute(async (transaction) => {
    // Serialises messages that end concurrently, so that the second one sees the first.
    await sql`select from merchant_invitations where id = ${invitationId} for update`.execute(
      transaction,
    );
    const { numAffectedRows = 0n } = await sql`
      update invitation_messages set ${set}
      where invitation_id = ${invitationId} and channel = ${channel} and ${where}`.execute(
      transaction,
    );
    await sql`
      update merchant_invitations set token_ciphertext = null
      where id = ${invitationId} and not exists (
        select from invitation_messages
        where invitation_id = ${invitationId} and status in ('QUEUED', 'SENDING'))`.execute(
      transaction,
    );
    return numAffectedRows > 0n;
  });
}

/** The recipient of an invitation, and the addresses of its messages. */
export interface NewInvitation {
  readonly merchantId: number;
  readonly email: string;
  /** E.164; null means no SMS. */
  readonly msisdn: string | null;
}

/**
 * Writes an invitation, which a worker picks up, and ends the previous one. The transaction must
 * hold the merchant's row.
 */
export async function requestInvitation(
  transaction: DatabaseTransaction,
  invitation: NewInvitation,
): Promise<{ readonly id: string; readonly replacedId: string | undefined }> {
  const replaced = await transaction
    .updateTable('merchant_invitations')
    .set({ status: 'REPLACED', settled_at: sql<Date>`now()`, token_ciphertext: null })
    .where('merchant_id', '=', invitation.merchantId)
    .where('status', 'in', ['REQUESTED', 'OPEN'])
    .returning('id')
    .executeTakeFirst();
  if (replaced) await cancelInvitationMessages(transaction, replaced.id);
  const { id } = await transaction
    .insertInto('merchant_invitations')
    .values({
      merchant_id: invitation.merchantId,
      email: invitation.email,
      msisdn: invitation.msisdn,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const channels: InvitationChannel[] = invitation.msisdn === null ? ['EMAIL'] : ['SMS', 'EMAIL'];
  await transaction
    .insertInto('invitation_messages')
    .values(channels.map((channel) => ({ invitation_id: id, channel })))
    .execute();
  return { id, replacedId: replaced?.id };
}

/** After this time past its due time an invitation no longer waits for its own workflow. */
const OVERDUE = sql`interval '1 minute'`;

/**
 * Invitations that need a workflow: new ones, and orphaned ones with an unsent message or beyond
 * their end.
 */
export async function invitationsToTakeUp(
  database: Database,
  limit: number,
): Promise<{ readonly id: string; readonly merchantId: number }[]> {
  const { rows } = await sql<{ id: string; merchantId: number }>`
    select id, merchant_id as "merchantId" from merchant_invitations as invitation
    where status = 'REQUESTED'
      or status = 'OPEN' and (
        expires_at < now() - ${OVERDUE}
        or created_at < now() - ${OVERDUE} and exists (
          select from invitation_messages
          where invitation_id = invitation.id and status in ('QUEUED', 'SENDING')))
    order by created_at limit ${limit}`.execute(database);
  return rows;
}

/** The state of an invitation by the database's clock. */
export interface InvitationState {
  readonly status: InvitationStatus;
  /** Time until its link expires; 0 after that. */
  readonly remainingMs: number;
  readonly channels: readonly InvitationChannel[];
  /** The invitation that this one replaced. */
  readonly replacedId: string | null;
}

/**
 * Activates the link of a requested invitation for its lifetime. One that has begun does not
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

export async function readInvitationState(
  database: Database,
  invitationId: string,
): Promise<InvitationState> {
  const row = await database
    .selectFrom('merchant_invitations')
    .select(['status'])
    .select([
      sql<number>`coalesce(greatest(0, ceil(
        extract(epoch from expires_at - clock_timestamp()) * 1000)), 0)::float8`.as('remainingMs'),
      sql<string | null>`(select id from merchant_invitations as earlier
        where earlier.merchant_id = merchant_invitations.merchant_id and status = 'REPLACED'
          and earlier.created_at < merchant_invitations.created_at
        order by earlier.created_at desc limit 1)`.as('replacedId'),
    ])
    .where('id', '=', invitationId)
    .executeTakeFirstOrThrow();
  const messages = await database
    .selectFrom('invitation_messages')
    .select('channel')
    .where('invitation_id', '=', invitationId)
    .orderBy('channel')
    .execute();
  return { ...row, channels: messages.map(({ channel }) => channel) };
}

/** Ends an open invitation that was not delivered or has expired. */
export async function endInvitation(
  transaction: DatabaseTransaction,
  invitationId: string,
  status: 'EXPIRED' | 'UNDELIVERED',
): Promise<void> {
  const ended = await transaction
    .updateTable('merchant_invitations')
    .set({ status, settled_at: sql<Date>`now()`, token_ciphertext: null })
    .where('id', '=', invitationId)
    .where('status', '=', 'OPEN')
    .where(sql<boolean>`(${status} = 'UNDELIVERED' or expires_at <= clock_timestamp())`)
    .executeTakeFirst();
  if (ended.numUpdatedRows > 0n) await cancelInvitationMessages(transaction, invitationId);
}

/** The invitation of a link; undefined when it does not exist or is no longer valid. */
export const findOpenInvitation = (database: Database, tokenDigests: readonly Buffer[]) =>
  openInvitation(database, tokenDigests).executeTakeFirst();

/** The invitation of a link, locked until the transaction ends. */
export const lockOpenInvitation = (
  transaction: DatabaseTransaction,
  tokenDigests: readonly Buffer[],
) => openInvitation(transaction, tokenDigests).forUpdate('invitation').executeTakeFirst();

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
    .where('invitation.expires_at', '>', sql<Date>`now()`)
    .where('merchants.deleted_at', 'is', null);

/** Marks an invitation as used; the transaction must hold its lock. */
export async function useInvitation(
  transaction: DatabaseTransaction,
  invitationId: string,
): Promise<void> {
  await transaction
    .updateTable('merchant_invitations')
    .set({ status: 'USED', settled_at: sql<Date>`now()`, token_ciphertext: null })
    .where('id', '=', invitationId)
    .execute();
  await cancelInvitationMessages(transaction, invitationId);
}

/** The invitations of a merchant, newest first, with the status of their messages. */
export async function listInvitations(database: Database, merchantId: number) {
  const { rows } = await sql<ListedInvitation>`
    select invitation.id, invitation.email, invitation.msisdn,
      invitation.created_at as "createdAt", invitation.expires_at as "expiresAt",
      invitation.settled_at as "settledAt",
      case when invitation.status = 'OPEN' and invitation.expires_at <= now() then 'EXPIRED'
        else invitation.status end as status,
      sms.status as sms, sms.provider_message as "smsMessage",
      sms.provider as "smsProvider", sms.delivery as "smsDelivery",
      sms.delivery_reason as "smsDeliveryReason",
      mail.status as mail, mail.provider_message as "mailMessage"
    from merchant_invitations as invitation
    left join invitation_messages as sms
      on sms.invitation_id = invitation.id and sms.channel = 'SMS'
    left join invitation_messages as mail
      on mail.invitation_id = invitation.id and mail.channel = 'EMAIL'
    where invitation.merchant_id = ${merchantId}
    order by invitation.created_at desc`.execute(database);
  return rows;
}

interface ListedInvitation {
  readonly id: string;
  readonly email: string;
  readonly msisdn: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly settledAt: Date | null;
  readonly status: InvitationStatus;
  readonly sms: InvitationMessageStatus | null;
  readonly smsMessage: string | null;
  readonly smsProvider: string | null;
  /** What the provider reported later; null: nothing. */
  readonly smsDelivery: 'DELIVERED' | 'NOT_DELIVERED' | null;
  readonly smsDeliveryReason: string | null;
  readonly mail: InvitationMessageStatus | null;
  readonly mailMessage: string | null;
}
