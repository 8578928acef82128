import { randomInvitationToken } from '../../src/crypto/random.js';
import {
  type InvitationMessage,
  invitationMessageStatus,
  recordInvitationMessage,
  takeInvitationMessage,
} from '../../src/db/portal/invitation-messages.js';
import {
  beginInvitation as begin,
  endInvitation as end,
  type InvitationState,
  readInvitationState,
} from '../../src/db/portal/invitations.js';
import type { InvitationChannel } from '../../src/db/schema/all-tables.js';
import type { ProviderOutcome } from '../../src/providers/outcome.js';
import type { ActivityDependencies } from '../dependencies.js';
import {
  cutOff,
  type MessageOutcome,
  publicOutcome,
  recordedOutcome,
  recordOf,
} from '../messages/message-outcome.js';
import { withHeartbeat } from '../provider-call.js';

export function createInvitationActivities(dependencies: ActivityDependencies) {
  const { database, digests, secretBox, smsSenders, failpoint } = dependencies;

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

  /**
   * Sends one of the two messages. A text message whose sending was interrupted is never sent
   * again, because its provider has no idempotency key. An e-mail is sent again under the same
   * Message-ID: a duplicate is harmless, and a worker that dies in both sendings still leaves one
   * message that arrives.
   */
  async function sendInvitation(
    invitationId: string,
    channel: InvitationChannel,
  ): Promise<MessageOutcome> {
    const message = await takeInvitationMessage(database, invitationId, channel);
    if (!message) return outcomeOfEarlierTry(invitationId, channel);
    await failpoint('invite-sending');
    const token =
      message.tokenCiphertext === null
        ? undefined
        : secretBox.open(message.tokenCiphertext, contextOf(invitationId));
    const outcome: ProviderOutcome =
      token === undefined
        ? { kind: 'refused', code: 'ended', message: 'it has ended', retryCanHelp: false }
        : withoutToken(await send({ invitationId, channel, message, token }, dependencies), token);
    await failpoint('invite-sent');
    const provider = channel === 'SMS' ? smsSenders.defaultName : undefined;
    await record(invitationId, channel, { ...recordOf(outcome), ...(provider && { provider }) });
    await failpoint('invite-sent-recorded');
    return publicOutcome(outcome, provider && { provider, failovers: [] });
  }

  /** The outcome of an interrupted attempt is recorded as unknown. */
  async function outcomeOfEarlierTry(
    invitationId: string,
    channel: InvitationChannel,
  ): Promise<MessageOutcome> {
    const earlier = await invitationMessageStatus(database, invitationId, channel);
    if (earlier.status === 'SENDING') await record(invitationId, channel, recordOf(cutOff));
    return recordedOutcome(earlier);
  }

  const record = (
    invitationId: string,
    channel: InvitationChannel,
    outcome: Parameters<typeof recordInvitationMessage>[2],
  ) =>
    database
      .transaction()
      .execute((transaction) =>
        recordInvitationMessage(transaction, { invitationId, channel }, outcome),
      );

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

const contextOf = (invitationId: string): string => `invitation ${invitationId}`;

/** A message of an invitation for sending. */
interface OutgoingMessage {
  readonly invitationId: string;
  readonly channel: InvitationChannel;
  readonly message: InvitationMessage;
  readonly token: string;
}

function send(
  { invitationId, channel, message, token }: OutgoingMessage,
  { publicUrl, smsSenders, emailSender }: ActivityDependencies,
): Promise<ProviderOutcome> {
  const { email, msisdn, merchantName, remainingSeconds } = message;
  const link = `${publicUrl}/portal/activate/${token}`;
  const time = inWords(remainingSeconds);
  return withHeartbeat(() =>
    channel === 'SMS'
      ? smsSenders.named(null).send({ to: msisdn ?? '', text: smsText(merchantName, link, time) })
      : emailSender.send({
          id: `invitation-${invitationId}`,
          to: email,
          subject: 'Activate your voucher portal account',
          text: emailText({ merchantName, email, link, time }),
        }),
  );
}

/** The answer of a server may repeat the message. */
function withoutToken(outcome: ProviderOutcome, token: string): ProviderOutcome {
  return outcome.kind === 'delivered'
    ? { ...outcome, providerReference: outcome.providerReference.replaceAll(token, '…') }
    : { ...outcome, message: outcome.message.replaceAll(token, '…') };
}

const smsText = (merchantName: string, link: string, time: string): string =>
  `Activate the voucher portal account of ${merchantName} within ${time}: ${link} ` +
  'The link works once. Give it to nobody.';

const emailText = (parts: {
  readonly merchantName: string;
  readonly email: string;
  readonly link: string;
  readonly time: string;
}): string => `${parts.merchantName} is invited to the voucher portal.

Activate the account by choosing a password:

${parts.link}

The link works once, and for ${parts.time}. Afterwards ask us for a new one. You sign in as
${parts.email}.

In the portal you make API keys, register your server's address and your public key, and are led to
your first signed request.

You did not expect this? Then do nothing, and give the link to nobody.
`;

/** Rounded for people; a lifetime is a setting. */
function inWords(seconds: number): string {
  const minutes = Math.max(1, Math.round(seconds / 60));
  if (minutes < 90) return minutes === 1 ? '1 minute' : `${minutes} minutes`;
  return `${Math.round(minutes / 60)} hours`;
}
