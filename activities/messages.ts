import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../src/config/config.ts';
import { addMessageFailover, earlyReportOf } from '../src/db/messages/delivery-reports.ts';
import {
  messageStatus,
  type PaymentTextFacts,
  recordCutOff,
  recordMessage,
  type TakenMessage,
  takeMessage,
} from '../src/db/messages/messages.ts';
import { formatAmount, sumOf } from '../src/domain/money.ts';
import { ownerMessages } from '../src/domain/vouchers/messages.ts';
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
function textOf(
  { kind, claim_id: claimId, language, code, payment, reminder }: TakenMessage,
  { secretBox, settings, messageTexts = ownerMessages }: ActivityDependencies,
): string | undefined {
  const texts = messageTexts[language];
  switch (kind) {
    case 'VERIFICATION_CODE':
      return code?.codeCiphertext
        ? texts.code({
            code: secretBox.open(code.codeCiphertext, `claim ${claimId}`),
            amount: amountOf(code.amount),
            merchant: code.merchantName,
            minutes: Math.max(1, Math.round(code.secondsLeft / 60)),
          })
        : undefined;
    case 'REDEMPTION_CONFIRMATION':
      return payment
        ? texts.confirmation({
            ...paymentOf(payment),
            taken: amountOf(payment.toMerchant, payment.serviceFee),
            paid: amountOf(payment.toMerchant),
            fee: amountOf(payment.serviceFee),
          })
        : undefined;
    case 'REVERSAL_NOTICE':
      return payment
        ? texts.reversal({
            ...paymentOf(payment),
            amount: amountOf(payment.toMerchant, payment.serviceFee),
          })
        : undefined;
    case 'EXPIRY_REMINDER':
      return reminder
        ? texts.reminder({
            remaining: amountOf(reminder.remaining),
            merchant: reminder.merchantName,
            expiresAt: new Date(reminder.expiresAt),
            timeZone: settings.market.marketTimeZone,
          })
        : undefined;
  }
}

const paymentOf = ({ merchantName, remaining, platformReference }: PaymentTextFacts) => ({
  merchant: merchantName,
  remaining: amountOf(remaining),
  reference: platformReference,
});

/** The sum of decimal strings, with two decimals. */
const amountOf = (...amounts: readonly string[]): string => formatAmount(sumOf(amounts));

/** Confirmations of one process on their way at the same time; the outbox sends those beyond. */
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
    const [before, after] = sendingSteps[message.kind];
    await failpoint(before);
    const { to, text } = await queuedUnless(database, messageId, () => ({
      to: numbers.open(message.msisdn),
      text: textOf(message, dependencies),
    }));
    const { outcome, asked, isHopeless } = text
      ? await sendByRoutes(
          dependencies,
          {
            routes: message.routes,
            share: `message:${messageId}`,
            noteFailover: (failover) => addMessageFailover(database, { messageId, ...failover }),
          },
          {
            to,
            text,
            ...(message.code && { validForSeconds: message.code.secondsLeft }),
          },
        )
      : { outcome: pointless, asked: undefined, isHopeless: false };
    await failpoint(after);
    const recorded = recordOf(outcome);
    const isReported = await recordMessage(database, messageId, {
      ...recorded,
      ...(asked && { provider: asked.provider }),
    });
    if (isReported) background.run(() => tellEarlyReport(messageId));
    if (message.kind === 'VERIFICATION_CODE') await failpoint('claim-sent-recorded');
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

  /** Sends without a waiting caller. A message that stays in the queue is sent by the outbox. */
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
  write: () => Written,
): Promise<Written> {
  try {
    return write();
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
const sendingSteps = {
  VERIFICATION_CODE: ['claim-sending', 'claim-sent'],
  REDEMPTION_CONFIRMATION: ['redeem-confirming', 'redeem-confirmed'],
  EXPIRY_REMINDER: ['redeem-confirming', 'redeem-confirmed'],
  REVERSAL_NOTICE: ['reverse-confirming', 'reverse-confirmed'],
} as const satisfies Record<TakenMessage['kind'], readonly [FailpointName, FailpointName]>;
