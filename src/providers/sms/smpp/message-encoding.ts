import smpp from 'smpp';

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
 * Encodes a text. One that is longer than a message on the air goes into the TLV `message_payload`, so
 * that it stays one PDU with one answer, one id and one receipt; the SMSC divides it.
 */
export function encodeText(text: string): EncodedText {
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
export function addressOf(address: string): { ton: number; npi: number; addr: string } {
  if (/^\+\d+$/.test(address)) return { ton: 1, npi: 1, addr: address.slice(1) };
  if (/^\d{3,8}$/.test(address)) return { ton: 3, npi: 0, addr: address };
  return { ton: 5, npi: 0, addr: address };
}
