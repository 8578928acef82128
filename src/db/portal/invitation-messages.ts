import { sql } from 'kysely';
import type { SmsProviderName } from '../../domain/providers/provider-names.js';
import type { Database, DatabaseTransaction } from '../connection.js';
import type { InvitationChannel, InvitationMessageStatus } from '../schema/all-tables.js';

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

/**
 * Takes a message of an open invitation for sending; undefined when it was taken before, or the
 * invitation has ended. An e-mail whose sending was interrupted can be taken again.
 */
export async function takeInvitationMessage(
  database: Database,
  invitationId: string,
  channel: InvitationChannel,
) {
  const { rows } = await sql<InvitationMessage>`
    update invitation_messages as message set status = 'SENDING'
    from merchant_invitations as invitation join merchants on merchants.id = merchant_id
    where invitation_id = ${invitationId} and channel = ${channel}
      and (message.status = 'QUEUED' or message.status = 'SENDING' and channel = 'EMAIL')
      and invitation.id = invitation_id and invitation.status = 'OPEN'
      and invitation.expires_at > now()
    returning invitation.email, msisdn, merchant_name as "merchantName", token_ciphertext as "tokenCiphertext",
      extract(epoch from invitation.expires_at - now())::float8 as "remainingSeconds"`.execute(
    database,
  );
  return rows[0];
}

/** The data of a message. */
export interface InvitationMessage {
  readonly email: string;
  readonly msisdn: string | null;
  readonly merchantName: string;
  readonly tokenCiphertext: string | null;
  readonly remainingSeconds: number;
}

/** The recorded outcome of sending a message. */
export const invitationMessageStatus = (
  database: Database,
  invitationId: string,
  channel: InvitationChannel,
) =>
  database
    .selectFrom('invitation_messages')
    .select(['status', 'provider_message', 'provider'])
    .where('invitation_id', '=', invitationId)
    .where('channel', '=', channel)
    .executeTakeFirstOrThrow();

/**
 * Records the outcome of sending; `QUEUED` returns a message that was provably not sent. The link's
 * token is erased once no message needs it.
 */
export async function recordInvitationMessage(
  transaction: DatabaseTransaction,
  message: { readonly invitationId: string; readonly channel: InvitationChannel },
  outcome: {
    readonly status: Extract<InvitationMessageStatus, 'QUEUED' | 'SENT' | 'REFUSED' | 'UNKNOWN'>;
    readonly providerReference?: string;
    readonly providerMessage?: string;
    /** Who was asked to send a text message; absent where the sending was interrupted. */
    readonly provider?: SmsProviderName;
  },
): Promise<void> {
  const { invitationId, channel } = message;
  // Serialises messages that end concurrently, so that the second one sees the first.
  await sql`select from merchant_invitations where id = ${invitationId} for update`.execute(
    transaction,
  );
  await transaction
    .updateTable('invitation_messages')
    .set({
      status: outcome.status,
      provider_reference: outcome.providerReference ?? null,
      provider_message: outcome.providerMessage ?? null,
      ...(outcome.provider && { provider: outcome.provider }),
      settled_at: outcome.status === 'QUEUED' ? null : sql<Date>`now()`,
    })
    .where('invitation_id', '=', invitationId)
    .where('channel', '=', channel)
    .where('status', '=', 'SENDING')
    .execute();
  await sql`
    update merchant_invitations set token_ciphertext = null
    where id = ${invitationId} and not exists (
      select from invitation_messages
      where invitation_id = ${invitationId} and status in ('QUEUED', 'SENDING'))`.execute(
    transaction,
  );
}
