import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from '../connection.js';
import type { InvitationChannel, InvitationMessageStatus } from '../schema/all-tables.js';

/** What was not sent yet is not sent any more. */
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
 * A message of an open invitation that this call may send; undefined when it was taken before, or the
 * invitation is over. An e-mail that was cut off in the middle may be taken again.
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

/** What a message is made of. */
export interface InvitationMessage {
  readonly email: string;
  readonly msisdn: string | null;
  readonly merchantName: string;
  readonly tokenCiphertext: string | null;
  readonly remainingSeconds: number;
}

/** How sending a message ended, as far as it is recorded. */
export const invitationMessageStatus = (
  database: Database,
  invitationId: string,
  channel: InvitationChannel,
) =>
  database
    .selectFrom('invitation_messages')
    .select(['status', 'provider_message'])
    .where('invitation_id', '=', invitationId)
    .where('channel', '=', channel)
    .executeTakeFirstOrThrow();

/**
 * Records how sending ended; `QUEUED` puts a message back that provably was not sent. The link's
 * token is erased once no message needs it any more.
 */
export async function recordInvitationMessage(
  transaction: DatabaseTransaction,
  message: { readonly invitationId: string; readonly channel: InvitationChannel },
  outcome: {
    readonly status: Extract<InvitationMessageStatus, 'QUEUED' | 'SENT' | 'REFUSED' | 'UNKNOWN'>;
    readonly providerReference?: string;
    readonly providerMessage?: string;
  },
): Promise<void> {
  const { invitationId, channel } = message;
  // Two messages that end at the same moment take turns, so that the second sees the first.
  await sql`select from merchant_invitations where id = ${invitationId} for update`.execute(
    transaction,
  );
  await transaction
    .updateTable('invitation_messages')
    .set({
      status: outcome.status,
      provider_reference: outcome.providerReference ?? null,
      provider_message: outcome.providerMessage ?? null,
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
