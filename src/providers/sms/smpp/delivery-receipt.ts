import smpp, { type PDU } from 'smpp';
import { presentableMessage } from '../../../domain/providers.ts';
import type { DeliveryReport } from '../../../domain/vouchers/messages.ts';
import { readableId } from './session.ts';

export type Receipt = Omit<DeliveryReport, 'provider'>;

type State = Receipt['state'];

/** By the TLV message_state and by `stat` in the text (SMPP 3.4, 5.2.28 and Appendix B). */
const states: readonly (readonly [number: number, word: string, state: State])[] = [
  [0, 'SCHEDULED', 'under-way'],
  [1, 'ENROUTE', 'under-way'],
  [2, 'DELIVRD', 'delivered'],
  [3, 'EXPIRED', 'not-delivered'],
  [4, 'DELETED', 'not-delivered'],
  [5, 'UNDELIV', 'not-delivered'],
  [6, 'ACCEPTD', 'under-way'],
  [7, 'UNKNOWN', 'under-way'],
  [8, 'REJECTD', 'not-delivered'],
  [9, 'SKIPPED', 'not-delivered'],
  // Words of SMSCs that the standard lacks, under its number.
  [5, 'FAILED', 'not-delivered'],
  [5, 'NOT_DELIVERED', 'not-delivered'],
];

/** How the ids of receipts differ from those of answers: some SMSCs write one of them in hex. */
export type ReceiptIds = 'same' | 'decimal-for-hex' | 'hex-for-decimal';

/** Bits of esm_class: a receipt of the SMSC, or an intermediate notification. */
const RECEIPT_BITS = 0b0010_0100;

/** A delivery receipt; undefined for any other message, such as an answer of a phone. */
export function readReceipt(pdu: PDU, ids: ReceiptIds): Receipt | undefined {
  const text = textOf(pdu);
  const hasState = pdu.receipted_message_id !== undefined && pdu.message_state !== undefined;
  if (!hasState && (Number(pdu.esm_class) & RECEIPT_BITS) === 0) return undefined;
  const reference = referenceOf(readableId(pdu.receipted_message_id), fieldOf(text, 'id'), ids);
  const word = fieldOf(text, 'stat').toUpperCase();
  const row = states.find(([number]) => number === pdu.message_state) ?? stateOfWord(word);
  if (reference === '' || !row) return undefined;
  const [, name, state] = row;
  const error = fieldOf(text, 'err');
  return {
    reference,
    state,
    reason: state === 'not-delivered' ? reasonOf(name, error) : null,
  };
}

/** SMSCs abbreviate in their own ways, such as DELIVERED; five letters tell the words apart. */
const stateOfWord = (word: string) =>
  states.find(([, name]) => word.slice(0, 5) === name.slice(0, 5));

const reasonOf = (state: string, error: string): string =>
  error === '' || /^0+$/.test(error) ? state : `${state}, error ${presentableMessage(error)}`;

/** The value of a field such as `id:…` or `stat:…`. */
function fieldOf(text: string, name: string): string {
  const [, value = ''] = new RegExp(`(?:^|\\s)${name}:([\\x21-\\x7e]{1,65})`, 'i').exec(text) ?? [];
  return value;
}

/**
 * The text as ASCII: the library has read it as GSM 03.38, where `_` is `§`. Some SMSCs write ASCII and
 * call it UCS-2, where two letters are one character, or the other way round.
 */
function textOf(pdu: PDU): string {
  const { message } = (pdu.short_message ?? {}) as { message?: unknown };
  const content = hasLength(message)
    ? message
    : ((pdu.message_payload ?? {}) as { message?: unknown }).message;
  if (Buffer.isBuffer(content)) return ascii(content);
  if (typeof content !== 'string') return '';
  const isGsm = (Number(pdu.data_coding) & 0x0f) <= 1;
  if (isGsm) return ascii(smpp.gsmCoder.encode(content, 0));
  return /\b(?:id|stat):/i.test(content)
    ? content
    : ascii(Buffer.from(content, 'utf16le').swap16());
}

/** ASCII that was written as UCS-2 has a zero before each letter. */
const ascii = (octets: Buffer): string => octets.toString('latin1').replaceAll('\0', '');

const hasLength = (message: unknown): boolean =>
  (typeof message === 'string' || Buffer.isBuffer(message)) && message.length > 0;

/**
 * The id as the answer to submit_sm had it, in the form of {@link answeredId}. By the standard the TLV
 * repeats that id. An SMSC with another notation in the text shows by the difference that its TLV does.
 */
function referenceOf(inTlv: string, inText: string, ids: ReceiptIds): string {
  const id = inTlv || inText;
  const differs = inText !== '' && answeredId(inTlv) !== answeredId(inText);
  if (inTlv !== '' && differs) return answeredId(inTlv);
  if (ids === 'decimal-for-hex' && /^\d+$/.test(id)) return answeredId(BigInt(id).toString(16));
  if (ids === 'hex-for-decimal' && /^[\da-f]+$/i.test(id)) return BigInt(`0x${id}`).toString();
  return answeredId(id);
}

/**
 * The id of an answer, in one form: receipts write the digits of a number, also in hexadecimal, with
 * other leading zeros or in another case. In ids of other characters every difference counts.
 */
export const answeredId = (id: string): string =>
  /^[\da-f-]+$/i.test(id) ? id.toUpperCase().replace(/^0+(?=[\dA-F]+$)/, '') : id;
