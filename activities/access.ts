import { log } from '@temporalio/activity';
import { randomInvitationToken } from '../src/crypto/random.ts';
import {
  type AccessNotice,
  readAccessNotice,
  settleAccessNotice,
} from '../src/db/access/access-notices.ts';
import type { InvitationChannel } from '../src/db/people/invitations.ts';
import {
  beginInvitation as begin,
  cutOffInvitationMessage,
  endInvitation as end,
  type InvitationMessage,
  type InvitationMessageKey,
  type InvitationState,
  invitationMessageStatus,
  readInvitationState,
  recordInvitationMessage,
  releaseInvitationMessage,
  takeInvitationMessage,
} from '../src/db/people/invitations.ts';
import { accessChangeOf, actorName, changedSubject } from '../src/domain/access.ts';
import type { ProviderOutcome } from '../src/providers/outcome.ts';
import type { ActivityDependencies } from './dependencies.ts';
import {
  cutOff,
  EMAIL_SENDING_SECONDS,
  type MessageOutcome,
  outcomeOfEarlierSending,
  publicOutcome,
  recordedOutcome,
  recordOf,
  smsSendingSeconds,
} from './messages.ts';
import { withHeartbeat } from './provider-call.ts';

/** The end of the e-mails about a change. */
export interface NoticeSent {
  readonly recipients: number;
}

export function createAccessNoticeActivities(dependencies: ActivityDependencies) {
  const { database, emailSender, settings } = dependencies;

  /**
   * Tells the owners of a company, and the person concerned, that its access was changed. E-mails
   * that were interrupted are sent again under the same Message-ID.
   *
   * @throws where an e-mail was not sent
   */
  async function sendAccessNotice(auditId: number): Promise<NoticeSent> {
    const notice = await readAccessNotice(database, auditId);
    if (!notice) return { recipients: 0 };
    for (const { id, email, timeZone } of notice.recipients) {
      const outcome = await withHeartbeat(() =>
        emailSender.send({
          id: `access-${auditId}-${id}`,
          to: email,
          subject: `Access of ${notice.companyName} was changed`,
          text: noticeText(notice, { timeZone, ...settings.http }),
        }),
      );
      if (outcome.kind === 'refused')
        log.warn('An e-mail about changed access was refused', { auditId, accountId: id });
      else if (outcome.kind !== 'delivered')
        throw new Error(`The e-mail was not sent: ${outcome.kind}`);
    }
    await settleAccessNotice(database, auditId);
    return { recipients: notice.recipients.length };
  }

  return { sendAccessNotice };
}

function noticeText(
  { at, actor, action, details, companyName }: AccessNotice,
  { timeZone, publicUrl }: { readonly timeZone: string; readonly publicUrl: string },
): string {
  const change = accessChangeOf(action);
  const what = change ? [change.text, changedSubject(change, details)].join(' ').trim() : action;
  const from = typeof details.sourceAddress === 'string' ? details.sourceAddress : undefined;
  // Sweden writes times as ISO 8601 does.
  const when = at.toLocaleString('sv-SE', {
    timeZone,
    timeZoneName: 'short',
    ...({ year: 'numeric', month: '2-digit', day: '2-digit' } as const),
    ...({ hour: '2-digit', minute: '2-digit', second: '2-digit' } as const),
  });
  return `The access of ${companyName} to the voucher service was changed.

What: ${what}
Who:  ${actorName(actor)}
When: ${when}
${from === undefined ? '' : `From: ${from}\n`}
If nobody of you did this, sign in, undo it, change your password, and contact us at once:

${publicUrl}/portal/activity

You get this e-mail because you own the company's account, or because it concerns your own.
`;
}

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

export function createInvitationSender(
  dependencies: ActivityDependencies,
  emailSendingSeconds = EMAIL_SENDING_SECONDS,
): InvitationSender {
  const { database, secretBox, smsSenders, failpoint, settings } = dependencies;

  function sendWhenFree(key: InvitationMessageKey): Promise<MessageOutcome> {
    const longestSeconds =
      key.channel === 'SMS' ? smsSendingSeconds(settings) : emailSendingSeconds;
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
const contextOf = (invitationId: string): string => `invitation ${invitationId}`;

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
  { settings, smsSenders, emailSender }: ActivityDependencies,
): Promise<ProviderOutcome> {
  const { email, msisdn, merchantName, remainingSeconds } = message;
  const link = `${settings.http.publicUrl}/portal/activate/${token}`;
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
