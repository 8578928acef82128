import { setTimeout as sleep } from 'node:timers/promises';
import { earlyReportOf } from '../../src/db/delivery-reports/delivery-reports.ts';
import {
  messageStatus,
  recordCutOff,
  recordMessage,
  type TakenMessage,
  takeMessage,
} from '../../src/db/vouchers/message-sendings.ts';
import { giveUpConfirmation as giveUp } from '../../src/db/vouchers/messages.ts';
import type { FailpointName } from '../../src/process/failpoint.ts';
import type { ProviderOutcome } from '../../src/providers/outcome.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { withHeartbeat } from '../provider-call.ts';
import { sendByRoutes } from '../providers/message-routing.ts';
import { outcomeOfEarlierSending } from './earlier-sending.ts';
import { cutOff, type MessageOutcome, publicOutcome, recordOf } from './message-outcome.ts';
import { createMessageTexts } from './message-texts.ts';

/** Confirmations of one process on their way at the same time; a sweep sends those beyond. */
const MAXIMUM_IN_BACKGROUND = 100;

/** Sends queued messages, each at most once. */
export interface MessageSender {
  /**
   * Sends a queued message, or tells the outcome of an earlier try. SMS providers have no idempotency
   * key, so a message whose sending was interrupted is never sent again. `not-sent` returns it to the
   * queue. Callers share a sending that is under way: in one process its promise, in another one its row.
   */
  send(messageId: number): Promise<MessageOutcome>;
  /** The outcome, or undefined where the message is still on its way after this time. */
  sendWithin(messageId: number, milliseconds: number): Promise<MessageOutcome | undefined>;
  /** Sends without a waiting caller. A message that stays in the queue is sent by a sweep. */
  sendInBackground(messageId: number): void;
}

export function createMessageSender(dependencies: ActivityDependencies): MessageSender {
  const { database, failpoint, background, limits, numbers, resumption } = dependencies;
  const textOf = createMessageTexts(dependencies);
  const underWay = new Map<number, Promise<MessageOutcome>>();

  async function sendOnce(messageId: number): Promise<MessageOutcome> {
    const message = await takeMessage(database, messageId);
    if (!message)
      return outcomeOfEarlierSending({
        read: () => messageStatus(database, messageId),
        cutOff: () => recordCutOff(database, messageId, cutOff.message),
        longestSeconds: limits.messageSendingSeconds,
      });
    try {
      return await sendTaken(messageId, message);
    } catch (error) {
      // Whoever asks next need not wait for it.
      await recordCutOff(database, messageId, cutOff.message).catch(() => undefined);
      throw error;
    }
  }

  async function sendTaken(messageId: number, message: TakenMessage): Promise<MessageOutcome> {
    const isCode = message.claim_id !== null;
    await failpoint(sendingSteps(message)[0]);
    const text = await textOf(messageId, message);
    const { outcome, asked, isHopeless } = text
      ? await sendByRoutes(dependencies, messageId, message, {
          to: numbers.open(message.msisdn),
          text,
          ...(message.code && { validForSeconds: message.code.secondsLeft }),
        })
      : { outcome: ended, asked: undefined, isHopeless: false };
    await failpoint(sendingSteps(message)[1]);
    const isReported = await recordMessage(database, messageId, {
      ...recordOf(outcome),
      // No message of this number is to blame, so it does not count as refused.
      ...(outcome.kind === 'refused' && outcome.anotherMayTake && { status: 'CANCELLED' as const }),
      ...(asked && { provider: asked.provider }),
    });
    if (isReported) background.run(() => tellEarlyReport(messageId));
    if (isCode) await failpoint('claim-sent-recorded');
    const told = publicOutcome(outcome, asked);
    return told.kind === 'not-sent' && isHopeless ? { ...told, isHopeless } : told;
  }

  /** The report found no message under its id: nobody has told the claim that waits for its code. */
  async function tellEarlyReport(messageId: number): Promise<void> {
    const code = await earlyReportOf(database, messageId);
    if (code) await resumption.tellCode(code);
  }

  function send(messageId: number): Promise<MessageOutcome> {
    const running = underWay.get(messageId);
    if (running !== undefined) return running;
    const sending = sendOnce(messageId).finally(() => underWay.delete(messageId));
    underWay.set(messageId, sending);
    return sending;
  }

  async function sendWithin(messageId: number, milliseconds: number) {
    const sending = send(messageId);
    // A process that stops records the outcome first. A fault after the wait is found by whoever asks next.
    background.run(() => sending);
    return Promise.race([sending, sleep(milliseconds, undefined, { ref: false })]);
  }

  function sendInBackground(messageId: number): void {
    if (underWay.size < MAXIMUM_IN_BACKGROUND) background.run(() => send(messageId));
  }

  return { send, sendWithin, sendInBackground };
}

export function createMessageActivities({ database }: ActivityDependencies, sender: MessageSender) {
  /** {@link MessageSender.send} */
  const sendMessage = (messageId: number): Promise<MessageOutcome> =>
    withHeartbeat(() => sender.send(messageId));

  /** Cancels an unsent confirmation: the money has moved regardless. */
  const giveUpConfirmation = (messageId: number): Promise<void> => giveUp(database, messageId);

  return { sendMessage, giveUpConfirmation };
}

/** The claim of a code has ended: the message would be of no use. */
const ended: ProviderOutcome = {
  kind: 'refused',
  code: 'ended',
  message: 'the claim has ended',
  retryCanHelp: false,
};

/** The failpoints before and after the sending of a message. */
function sendingSteps(message: TakenMessage): [FailpointName, FailpointName] {
  if (message.claim_id !== null) return ['claim-sending', 'claim-sent'];
  return message.reversal_id === null
    ? ['redeem-confirming', 'redeem-confirmed']
    : ['reverse-confirming', 'reverse-confirmed'];
}
