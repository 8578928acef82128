import { randomInvitationToken } from '../../src/crypto/random.ts';
import {
  beginInvitation as begin,
  endInvitation as end,
  type InvitationState,
  readInvitationState,
} from '../../src/db/portal/invitations.ts';
import type { InvitationChannel } from '../../src/db/schema/all-tables.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import type { MessageOutcome } from '../messages/message-outcome.ts';
import { withHeartbeat } from '../provider-call.ts';
import { contextOf, createInvitationSender } from './invitation-messages.ts';

export function createInvitationActivities(dependencies: ActivityDependencies) {
  const { database, digests, secretBox, failpoint } = dependencies;
  const sender = createInvitationSender(dependencies);

  /** Creates the link's token and activates it; a repetition keeps the first token. */
  async function beginInvitation(
    invitationId: string,
    lifetimeMs: number,
  ): Promise<InvitationState> {
    const token = randomInvitationToken();
    await begin(database, invitationId, {
      tokenDigest: digests.invitation(token),
      tokenCiphertext: secretBox.seal(token, contextOf(invitationId)),
      lifetimeMs,
    });
    await failpoint('invite-begun');
    return readInvitationState(database, invitationId);
  }

  /** Sends one of the two messages, or tells the outcome of an earlier attempt. */
  const sendInvitation = (
    invitationId: string,
    channel: InvitationChannel,
  ): Promise<MessageOutcome> => withHeartbeat(() => sender.send(invitationId, channel));

  /** Ends an expired or undelivered invitation; returns its state. */
  async function endInvitation(
    invitationId: string,
    status: 'EXPIRED' | 'UNDELIVERED',
  ): Promise<InvitationState> {
    await database.transaction().execute(async (transaction) => {
      await end(transaction, invitationId, status);
    });
    await failpoint('invite-ended');
    return readInvitationState(database, invitationId);
  }

  return { beginInvitation, sendInvitation, endInvitation };
}
