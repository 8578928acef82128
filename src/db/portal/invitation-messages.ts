import { type RawBuilder, sql } from 'kysely';
import type { SmsProviderName } from '../../domain/providers/provider-names.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';
import type { InvitationChannel, InvitationMessageStatus } from '../schema/all-tables.ts';

/** Cancels the unsent messages of an invitation. */
export async function cancelInvitationMessages(
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
