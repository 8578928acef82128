import type { PDU } from 'smpp';
import type { DeliveryReport } from '../../../domain/vouchers/delivery.ts';
import { noteThrottling } from '../../guard/call-health.ts';
import type { NotSent, ProviderOutcome } from '../../outcome.ts';
import type { SmsMessage, SmsSender } from '../sms-sender.ts';
import { type ConnectionPauses, createConnection } from './connection.ts';
import { answeredId, type ReceiptIds, readReceipt } from './delivery-receipt.ts';
import { addressOf, encodeText } from './message-encoding.ts';
import { relativeTime } from './relative-time.ts';
import { openSession, type SessionSettings } from './session.ts';
import { isThrottling, outcomeOfAnswer } from './submit-answers.ts';
import { createWindow } from './window.ts';

export interface SmppSettings extends SessionSettings, ConnectionPauses {
  /** Registered sender; the account's default without it. */
  readonly sender?: string | undefined;
  /** Time that a message waits for a session and for its place in the window. */
  readonly waitMs: number;
  /** Messages on their way to the SMSC at the same time. */
  readonly windowSize: number;
  /** Pause after the SMSC asked for fewer messages. */
  readonly throttlePauseMs: number;
  readonly receiptIds: ReceiptIds;
}

export interface SmppEvents {
  /** Records a receipt; the SMSC delivers it again where this rejects. */
  readonly record: (report: DeliveryReport) => Promise<void>;
  readonly note: (event: 'bound' | 'lost' | 'unrecorded', reason?: string) => void;
}

export interface SmppSender extends SmsSender {
  /** Connects, so that receipts arrive; a message connects as well. */
  open(): void;
  /** Binds, unless it is bound, and asks for a sign of life; the reason where there is none. */
  check(): Promise<string | undefined>;
  /** Ends the session after the messages on their way are answered. */
  close(): Promise<void>;
}

const RECEIVED = 0;
/** ESME_RX_T_APPN: the SMSC delivers it again. */
const NOT_NOW = 0x64;

/**
 * SMPP 3.4 (providers.md 3.3) over one session. Delivered means accepted by the SMSC; receipts say
 * whether a phone got it. A message that was written and not answered is never sent again.
 */
export function createSmpp(settings: SmppSettings, events: SmppEvents): SmppSender {
  const connection = createConnection(() => openSession(settings, receive), settings, events.note);
  const window = createWindow(settings.windowSize);
  let throttledUntil = 0;
  let isClosing = false;

  async function receive(pdu: PDU): Promise<number> {
    const receipt = readReceipt(pdu, settings.receiptIds);
    if (!receipt || receipt.state === 'under-way') return RECEIVED;
    try {
      await events.record({ provider: 'smpp', ...receipt });
      return RECEIVED;
    } catch (error) {
      events.note('unrecorded', error instanceof Error ? error.message : String(error));
      return NOT_NOW;
    }
  }

  async function submit(message: SmsMessage, waitUntil: number): Promise<ProviderOutcome> {
    const throttledMs = throttledUntil - Date.now();
    if (throttledMs > 0) return throttled('The SMSC asked for a pause.', throttledMs);
    const session = await connection.session(waitUntil - Date.now());
    if ('reason' in session)
      return { kind: 'not-sent', message: session.reason, ...retryOf(session) };
    const answer = await session.request('submit_sm', parametersOf(message, settings.sender));
    if (answer.kind === 'not-written') return { kind: 'not-sent', message: answer.message };
    if (answer.kind === 'none') return { kind: 'unknown', message: answer.message };
    if (isThrottling(answer.status)) {
      noteThrottling();
      throttledUntil = Date.now() + settings.throttlePauseMs;
    }
    const pauseSeconds = Math.ceil(settings.throttlePauseMs / 1_000);
    const outcome = outcomeOfAnswer(answer.status, answer.pdu.message_id, pauseSeconds);
    if (outcome.kind !== 'delivered') return outcome;
    return { ...outcome, providerReference: answeredId(outcome.providerReference) };
  }

  return {
    async send(message) {
      if (isClosing) return { kind: 'not-sent', message: 'The service is stopping.' };
      const waitUntil = Date.now() + settings.waitMs;
      const place = await window.take(settings.waitMs);
      if (!place) return { kind: 'not-sent', message: 'Too many messages are on their way.' };
      try {
        return await submit(message, waitUntil);
      } finally {
        place.free();
      }
    },
    open: connection.open,
    async check() {
      const session = await connection.session(settings.waitMs);
      if ('reason' in session) return session.reason;
      const answer = await session.request('enquire_link', {});
      return answer.kind === 'answered' ? undefined : answer.message;
    },
    async close() {
      isClosing = true;
      await window.empty();
      await connection.close();
    },
  };
}

function throttled(message: string, pauseMs: number): NotSent {
  noteThrottling();
  return { kind: 'not-sent', message, retryAfterSeconds: Math.ceil(pauseMs / 1_000) };
}

const retryOf = ({ retryAfterSeconds }: { readonly retryAfterSeconds?: number }) =>
  retryAfterSeconds === undefined ? {} : { retryAfterSeconds };

/** The parameters of submit_sm: with a receipt at the end of the message. */
function parametersOf({ to, text, validForSeconds }: SmsMessage, sender: string | undefined) {
  const source = sender === undefined ? undefined : addressOf(sender);
  const destination = addressOf(to);
  return {
    ...(source && {
      source_addr_ton: source.ton,
      source_addr_npi: source.npi,
      source_addr: source.addr,
    }),
    dest_addr_ton: destination.ton,
    dest_addr_npi: destination.npi,
    destination_addr: destination.addr,
    ...(validForSeconds !== undefined && { validity_period: relativeTime(validForSeconds) }),
    registered_delivery: 1,
    ...encodeText(text),
  };
}
