import smpp, { type PDU } from 'smpp';
import type { DeliveryReport } from '../../../domain/vouchers/messages.ts';
import { noteThrottling } from '../../guard.ts';
import type { NotSent, ProviderOutcome } from '../../outcome.ts';
import type { SmsMessage, SmsSender } from '../sms-sender.ts';
import { answeredId, type ReceiptIds, readReceipt } from './delivery-receipt.ts';
import {
  type ConnectionPauses,
  createConnection,
  createWindow,
  isThrottling,
  openSession,
  outcomeOfAnswer,
  type SessionSettings,
} from './session.ts';

/** A text as the parameters of submit_sm. */
interface EncodedText {
  /** 0: the default alphabet of the SMSC, GSM 03.38. 8: UCS-2. */
  readonly data_coding: 0 | 8;
  readonly short_message: Buffer;
  readonly message_payload?: Buffer;
}

/** What fits into one message on the air: 160 characters of GSM 03.38, or 70 of UCS-2. */
const OCTETS_IN_ONE = { 0: 160, 8: 140 } as const;

/**
 * Encodes a text. A text that is longer than a message on the air goes into the TLV
 * `message_payload`. So it stays one PDU with one answer, one id and one receipt; the SMSC divides
 * it.
 */
function encodeText(text: string): EncodedText {
  const gsm = smpp.gsmCoder.encode(text, 0);
  // The coder replaces by a space what the alphabet lacks.
  const isGsm = smpp.gsmCoder.decode(gsm, 0) === text;
  const data_coding = isGsm ? 0 : 8;
  const octets = isGsm ? gsm : Buffer.from(text, 'utf16le').swap16();
  return octets.length <= OCTETS_IN_ONE[data_coding]
    ? { data_coding, short_message: octets }
    : { data_coding, short_message: Buffer.alloc(0), message_payload: octets };
}

/** The parameters of an address: E.164, a short code, or a name. */
function addressOf(address: string): { ton: number; npi: number; addr: string } {
  if (/^\+\d+$/.test(address)) return { ton: 1, npi: 1, addr: address.slice(1) };
  if (/^\d{3,8}$/.test(address)) return { ton: 3, npi: 0, addr: address };
  return { ton: 5, npi: 0, addr: address };
}

/** Some SMSCs count in minutes. */
const SHORTEST_SECONDS = 60;

/** A time from now as SMPP 3.4 has it (7.1.1.2): `000000000500000R` is five minutes. */
export function relativeTime(seconds: number): string {
  const whole = Math.max(SHORTEST_SECONDS, Math.ceil(seconds));
  const minutes = Math.floor(whole / 60);
  const hours = Math.floor(minutes / 60);
  const parts = [Math.floor(hours / 24), hours % 24, minutes % 60, whole % 60];
  return `0000${parts.map((part) => String(part).padStart(2, '0')).join('')}000R`;
}

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
 * SMPP 3.4 over one session. Delivered means accepted by the SMSC; receipts say
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
      if (!place) {
        noteThrottling();
        return { kind: 'not-sent', message: 'Too many messages are on their way.' };
      }
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
