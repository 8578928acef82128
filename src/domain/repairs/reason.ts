import { parseMsisdn } from '../phone.js';
import { parseVoucherCode } from '../vouchers/voucher-code.js';

/** A number or a code is written in so many pieces at most, such as "+251 911 23 45 67". */
const PIECES = 6;
/** A code of an SMS, after the word. */
const SPOKEN_CODE = /\b(?:code|otp|pin)\b\D{0,20}\b\d{6}(?:\d\d)?\b/i;

/**
 * Why the reason of a repair is refused, and what to write instead. It is kept in clear, for as long as the
 * audit log: nothing of a customer belongs into it.
 */
export function refuseReason(why: string): string | undefined {
  const pieces = why.split(/[\s,;:/()[\]"'“”‘’]+/).filter((piece) => piece !== '');
  const texts = pieces.flatMap((_piece, start) =>
    Array.from({ length: PIECES }, (_one, more) => pieces.slice(start, start + more + 1).join(' ')),
  );
  const named = (what: string) =>
    `The reason names ${what}: leave it out, and name the ticket. The reason is kept in clear.`;
  if (texts.some((text) => parseMsisdn(text.replace(/[.!?-]+$/, '')) !== undefined))
    return named('a phone number');
  if (SPOKEN_CODE.test(why)) return named('a code');
  return texts.some((text) => parseVoucherCode(text.replace(/[.!?]+$/, '')) !== undefined)
    ? named('the code of a voucher')
    : undefined;
}
