import {
  cutOffInvitationMessage,
  type InvitationMessage,
  type InvitationMessageKey,
  invitationMessageStatus,
  recordInvitationMessage,
  releaseInvitationMessage,
  takeInvitationMessage,
} from '../../src/db/portal/invitation-messages.ts';
import type { InvitationChannel } from '../../src/db/schema/all-tables.ts';
import type { ProviderOutcome } from '../../src/providers/outcome.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { outcomeOfEarlierSending } from '../messages/earlier-sending.ts';
import {
  cutOff,
  type MessageOutcome,
  publicOutcome,
  recordedOutcome,
  recordOf,
} from '../messages/message-outcome.ts';

/** Sends the messages of invitations. */
export interface InvitationSender {
  /**
   * Sends one of the two messages, or tells the outcome of an earlier attempt. While that may still be
   * sending, this waits for what it records. A text message whose sending was interrupted is never sent
   * again, because its provider has no idempotency key. An e-mail is sent again under the same
   * Message-ID: a duplicate is harmless, and a worker that dies in both sendings still leaves one
   * message that arrives.
   */
  send(invitationId: string, channel: InvitationChannel): Promise<MessageOutcome>;
}

export function createInvitationSender(dependencies: ActivityDependencies): InvitationSender {
  const { database, secretBox, smsSenders, failpoint, limits } = dependencies;

  function sendWhenFree(key: InvitationMessageKey): Promise<MessageOutcome> {
    const longestSeconds =
      key.channel === 'SMS' ? limits.messageSendingSeconds : limits.emailSendingSeconds;
    return outcomeOfEarlierSending({
      async send() {
        const message = await takeInvitationMessage(database, key, longestSeconds);
        return message && sendTaken(key, message);
      },
      read: () => invitationMessageStatus(database, key),
      cutOff: () => cutOffInvitationMessage(database, key, cutOff.message),
      longestSeconds,
    });
  }

  async function sendTaken(
    key: InvitationMessageKey,
    message: InvitationMessage,
  ): Promise<MessageOutcome> {
    try {
      return await sendOnce(key, message);
    } catch (error) {
      // The next attempt need not wait for it.
      const { sendingSince } = message;
      await cutOffInvitationMessage(database, key, cutOff.message).catch(() => undefined);
      await releaseInvitationMessage(database, { ...key, sendingSince }).catch(() => undefined);
      throw error;
    }
  }

  async function sendOnce(
    key: InvitationMessageKey,
    message: InvitationMessage,
  ): Promise<MessageOutcome> {
    await failpoint('invite-sending');
    const token =
      message.tokenCiphertext === null
        ? undefined
        : secretBox.open(message.tokenCiphertext, contextOf(key.invitationId));
    const outcome =
      token === undefined
        ? ended
        : withoutToken(await handOver({ ...key, message, token }, dependencies), token);
    await failpoint('invite-sent');
    const provider = key.channel === 'SMS' ? smsSenders.defaultName : undefined;
    const { sendingSince } = message;
    const counts = await recordInvitationMessage(
      database,
      { ...key, sendingSince },
      { ...recordOf(outcome), ...(provider && { provider }) },
    );
    await failpoint('invite-sent-recorded');
    return counts
      ? publicOutcome(outcome, provider && { provider, failovers: [] })
      : recordedOutcome(await invitationMessageStatus(database, key));
  }

  return { send: (invitationId, channel) => sendWhenFree({ invitationId, channel }) };
}

/** What the token of an invitation is sealed with. */
export const contextOf = (invitationId: string): string => `invitation ${invitationId}`;

const ended: ProviderOutcome = {
  kind: 'refused',
  code: 'ended',
  message: 'it has ended',
  retryCanHelp: false,
};

/** A message of an invitation for sending. */
interface OutgoingMessage extends InvitationMessageKey {
  readonly message: InvitationMessage;
  readonly token: string;
}

function handOver(
  { invitationId, channel, message, token }: OutgoingMessage,
  { publicUrl, smsSenders, emailSender }: ActivityDependencies,
): Promise<ProviderOutcome> {
  const { email, msisdn, merchantName, remainingSeconds } = message;
  const link = `${publicUrl}/portal/activate/${token}`;
  const time = inWords(remainingSeconds);
  return channel === 'SMS'
    ? smsSenders.named(null).send({ to: msisdn ?? '', text: smsText(merchantName, link, time) })
    : emailSender.send({
        id: `invitation-${invitationId}`,
        to: email,
        subject: 'Activate your voucher portal account',
        text: emailText({ merchantName, email, link, time }),
      });
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
