import { sql } from 'kysely';
import { anyDigest } from '../any-digest.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';
import type {
  InvitationChannel,
  InvitationMessageStatus,
  InvitationStatus,
} from '../schema/all-tables.ts';
import { cancelInvitationMessages } from './invitation-messages.ts';

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
