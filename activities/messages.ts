import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../src/config/config.ts';
import { voucherToRemindOf } from '../src/db/messages/abandoned-messages.ts';
import { addMessageFailover, earlyReportOf } from '../src/db/messages/delivery-reports.ts';
import {
  type CodeFacts,
  type ConfirmationFacts,
  messageStatus,
  recordCutOff,
  recordMessage,
  renewSending,
  type TakenMessage,
  takeMessage,
} from '../src/db/messages/messages.ts';
import { reversalMessage } from '../src/db/vouchers/reversals.ts';
import { formatAmount, sumOf } from '../src/domain/money.ts';
import { type MessageTexts, ownerMessages } from '../src/domain/vouchers/messages.ts';
import type { ProviderOutcome } from '../src/providers/outcome.ts';
import { EMAIL_TIMEOUT_SECONDS } from '../src/providers/provider-set.ts';
import type { FailpointName } from '../src/runtime/process/failpoint.ts';
import type { AskedProviders, WithProviders } from '../workflows/steps/waiting.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { withHeartbeat } from './provider-call.ts';
import { sendByRoutes } from './providers.ts';

/** The outcome of a message, without its text or number. */
export type MessageOutcome = WithProviders<
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'not-sent'; readonly message: string; readonly isHopeless?: true }
  | { readonly kind: 'unknown' }
>;

/** The state of a message after its sending, also in the outbox; an unsent message returns to the queue. */
export const stateAfter = {
  delivered: 'SENT',
  refused: 'REFUSED',
  'not-sent': 'QUEUED',
  unknown: 'UNKNOWN',
} as const satisfies Record<ProviderOutcome['kind'], string>;

/** The outcome in the columns of the database. */
const recordOf = (outcome: ProviderOutcome) => ({
  status:
    outcome === pointless || (outcome.kind === 'refused' && outcome.anotherMayTake)
      ? // The fault is not the number's, so the message does not count as refused for it.
        ('CANCELLED' as const)
      : stateAfter[outcome.kind],
  ...(outcome.kind === 'delivered'
    ? { providerReference: outcome.providerReference }
    : { providerMessage: outcome.message }),
});

/** The outcome for workflows, as it was recorded. */
function recordedOutcome({
  status,
  providerMessage,
  asked,
}: {
  readonly status: string;
  readonly providerMessage?: string | null;
  readonly asked: AskedProviders | undefined;
}): MessageOutcome {
  const whom = asked && { asked };
  if (status === 'QUEUED')
    return { kind: 'not-sent', message: providerMessage ?? 'it was not sent', ...whom };
  if (status === 'SENT') return { kind: 'accepted', ...whom };
  if (status === 'REFUSED' || status === 'CANCELLED')
    return { kind: 'refused', message: providerMessage ?? 'the message was cancelled', ...whom };
  return { kind: 'unknown', ...whom };
}

/** The recorded problem of an interrupted sending, whose outcome is unknown. */
export const CUT_OFF = 'the worker stopped while it was sending';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;

/**
 * The text of a message, made when it is sent, in the language of the time when it was written.
 * Undefined where the message has become pointless.
 */
function createMessageTexts({
  database,
  secretBox,
  settings,
  messageTexts = ownerMessages,
}: ActivityDependencies) {
  async function textOf(messageId: number, message: TakenMessage): Promise<string | undefined> {
    const texts = messageTexts[message.language];
    if (message.claim_id !== null) return codeText(texts, message.claim_id, message.code);
    if (message.confirmation) return confirmationText(texts, message.confirmation);
    if (message.reversal_id !== null) return reversalText(texts, message.reversal_id);
    return reminderText(texts, messageId);
  }

  async function reminderText(texts: MessageTexts, messageId: number): Promise<string | undefined> {
    const voucher = await voucherToRemindOf(database, messageId);
    return (
      voucher &&
      texts.reminder({
        remaining: amountOf(voucher.remaining),
        merchant: voucher.is_restricted ? voucher.merchant_name : null,
        expiresAt: voucher.expires_at,
        timeZone: settings.market.marketTimeZone,
      })
    );
  }

  function codeText(
    texts: MessageTexts,
    claimId: string,
    facts: CodeFacts | null,
  ): string | undefined {
    if (!facts || facts.codeCiphertext === null) return undefined;
    return texts.code({
      code: secretBox.open(facts.codeCiphertext, `claim ${claimId}`),
      amount: amountOf(facts.amount),
      merchant: facts.merchantName,
      minutes: Math.max(1, Math.round(facts.secondsLeft / 60)),
    });
  }

  async function reversalText(texts: MessageTexts, reversalId: number): Promise<string> {
    const reversed = await reversalMessage(database, reversalId);
    return texts.reversal({
      amount: amountOf(reversed.to_merchant, reversed.service_fee),
      merchant: reversed.merchant_name,
      remaining: amountOf(reversed.remaining),
      reference: reversed.platform_reference,
    });
  }

  return textOf;
}

const confirmationText = (texts: MessageTexts, facts: ConfirmationFacts): string =>
  texts.confirmation({
    taken: amountOf(facts.toMerchant, facts.serviceFee),
    paid: amountOf(facts.toMerchant),
    fee: amountOf(facts.serviceFee),
    merchant: facts.merchantName,
    remaining: amountOf(facts.remaining),
    reference: facts.platformReference,
  });

/** The sum of decimal strings, with two decimals. */
const amountOf = (...amounts: readonly string[]): string => formatAmount(sumOf(amounts));

/** Confirmations of one process on their way at the same time; an expiry run sends those beyond. */
const MAXIMUM_IN_BACKGROUND = 100;

/** The time for reading the text of a message and recording its outcome. */
const RECORDING_SECONDS = 2;

/** Longest sending of a message by one provider. */
export const smsSendingSeconds = ({ providerGuard }: Pick<Config, 'providerGuard'>): number =>
  providerGuard.providerCallWaitSeconds + providerGuard.providerDeadlineSeconds + RECORDING_SECONDS;

/** Longest sending of an e-mail. */
export const EMAIL_SENDING_SECONDS = EMAIL_TIMEOUT_SECONDS + RECORDING_SECONDS;

export type MessageSender = ReturnType<typeof createMessageSender>;

/** Sends queued messages, each at most once. */
export function createMessageSender(dependencies: ActivityDependencies) {
  const { database, failpoint, background, numbers, starters } = dependencies;
  const textOf = createMessageTexts(dependencies);
  const underWay = new Map<number, Promise<MessageOutcome>>();

  async function sendOnce(messageId: number): Promise<MessageOutcome> {
    const message = await takeMessage(database, messageId);
    if (!message) return outcomeOfEarlierSending(dependencies, messageId);
    try {
      return await sendTaken(messageId, message);
    } catch (error) {
      // The next caller need not wait for the lookup.
      await recordCutOff(database, messageId, CUT_OFF).catch(() => undefined);
      throw error;
    }
  }

  async function sendTaken(messageId: number, message: TakenMessage): Promise<MessageOutcome> {
    const isCode = message.claim_id !== null;
    await failpoint(sendingSteps(message)[0]);
    const { to, text } = await queuedUnless(database, messageId, async () => ({
      to: numbers.open(message.msisdn),
      text: await textOf(messageId, message),
    }));
    const { outcome, asked, isHopeless } = text
      ? await sendByRoutes(
          dependencies,
          {
            routes: message.routes,
            share: `message:${messageId}`,
            noteFailover: (failover) =>
              Promise.all([
                addMessageFailover(database, { messageId, ...failover }),
                renewSending(database, messageId),
              ]),
          },
          {
            to,
            text,
            ...(message.code && { validForSeconds: message.code.secondsLeft }),
          },
        )
      : { outcome: pointless, asked: undefined, isHopeless: false };
    await failpoint(sendingSteps(message)[1]);
    const recorded = recordOf(outcome);
    const isReported = await recordMessage(database, messageId, {
      ...recorded,
      ...(asked && { provider: asked.provider }),
    });
    if (isReported) background.run(() => tellEarlyReport(messageId));
    if (isCode) await failpoint('claim-sent-recorded');
    const told = recordedOutcome({ ...recorded, asked });
    return told.kind === 'not-sent' && isHopeless ? { ...told, isHopeless } : told;
  }

  /** Tells the claim of a report that came before its message had the provider's id. */
  async function tellEarlyReport(messageId: number): Promise<void> {
    const code = await earlyReportOf(database, messageId);
    if (code) await starters.tellCode(code);
  }

  /**
   * Sends a queued message, or tells the outcome of an earlier try. SMS providers have no
   * idempotency key, so a message whose sending was interrupted is never sent again. `not-sent`
   * returns it to the queue. Callers share a sending that is under way: in one process its promise,
   * across processes its row.
   */
  function send(messageId: number): Promise<MessageOutcome> {
    const running = underWay.get(messageId);
    if (running !== undefined) return running;
    const sending = sendOnce(messageId).finally(() => underWay.delete(messageId));
    underWay.set(messageId, sending);
    return sending;
  }

  /** The outcome, or undefined where the message is still on its way after this time. */
  async function sendWithin(messageId: number, milliseconds: number) {
    const sending = send(messageId);
    // A process that stops records the outcome first. A fault after the wait is found by the next
    // caller.
    background.run(() => sending);
    return Promise.race([sending, sleep(milliseconds, undefined, { ref: false })]);
  }

  /** Sends without a waiting caller. A message that stays in the queue is sent by an expiry run. */
  function sendInBackground(messageId: number): void {
    if (underWay.size < MAXIMUM_IN_BACKGROUND) background.run(() => send(messageId));
  }

  return { send, sendWithin, sendInBackground };
}

/**
 * The outcome of a message that another attempt has taken. While the other worker may still be sending it, this waits
 * for the recorded outcome. A sending that exceeds its longest time was interrupted, and its outcome is unknown.
 */
async function outcomeOfEarlierSending(
  { database, settings }: ActivityDependencies,
  messageId: number,
): Promise<MessageOutcome> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const earlier = await messageStatus(database, messageId);
    const { status, provider_message: providerMessage, provider, failovers } = earlier;
    if (status !== 'SENDING') {
      const asked = provider === null ? undefined : { provider, failovers };
      return recordedOutcome({ status, providerMessage, asked });
    }
    // Read again: the sending worker may record the outcome at the same moment.
    if (earlier.sendingSeconds > smsSendingSeconds(settings))
      await recordCutOff(database, messageId, CUT_OFF);
    else await sleep(pauseMs);
  }
}

/** A message that could not be written was not sent, and stays in the queue. */
async function queuedUnless<Written>(
  database: ActivityDependencies['database'],
  messageId: number,
  write: () => Promise<Written>,
): Promise<Written> {
  try {
    return await write();
  } catch (error) {
    await recordMessage(database, messageId, { status: 'QUEUED' });
    throw error;
  }
}

export function createMessageActivities(sender: MessageSender) {
  /** Sends a queued message, or tells the outcome of an earlier try. */
  const sendMessage = (messageId: number): Promise<MessageOutcome> =>
    withHeartbeat(() => sender.send(messageId));

  return { sendMessage };
}

/** The outcome without a provider: the claim of the code, or the voucher of the reminder, has ended. */
const pointless: ProviderOutcome = {
  kind: 'refused',
  code: 'pointless',
  message: 'the message would be of no use any more',
  retryCanHelp: false,
};

/** The failpoints before and after the sending of a message. */
function sendingSteps(message: TakenMessage): [FailpointName, FailpointName] {
  if (message.claim_id !== null) return ['claim-sending', 'claim-sent'];
  return message.reversal_id === null
    ? ['redeem-confirming', 'redeem-confirmed']
    : ['reverse-confirming', 'reverse-confirmed'];
}
