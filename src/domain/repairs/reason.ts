import { parseMsisdn } from '../phone.ts';
import { parseVoucherCode } from '../vouchers/voucher-code.ts';

/** A number or a code is written in so many pieces at most, such as "+251 911 23 45 67". */
const PIECES = 6;
/** A voucher code in pieces is in those of its groups: other words have sixteen characters together by chance. */
const GROUP = 4;
/** A code of an SMS, after the word. */
const SPOKEN_CODE = /\b(?:code|otp|pin)\b\D{0,20}\b\d{6}(?:\d\d)?\b/i;

/** What of a customer a text names that is kept in clear; undefined for nothing. */
export function namedIn(words: string): string | undefined {
  const pieces = words.split(/[\s,;:/()[\]"'“”‘’]+/).filter((piece) => piece !== '');
  const texts = pieces.flatMap((_piece, start) =>
    Array.from({ length: PIECES }, (_one, more) => pieces.slice(start, start + more + 1).join(' ')),
  );
  if (texts.some((text) => parseMsisdn(text.replace(/[.!?-]+$/, '')) !== undefined))
    return 'a phone number';
  if (SPOKEN_CODE.test(words)) return 'a code';
  return texts.some(isVoucherCode) ? 'the code of a voucher' : undefined;
}

function isVoucherCode(text: string): boolean {
  const written = text.replace(/[.!?]+$/, '');
  const groups = written.split(' ').map((piece) => piece.replace(/\p{Dash_Punctuation}/gu, ''));
  return (
    groups.every(({ length }) => length % GROUP === 0) && parseVoucherCode(written) !== undefined
  );
}

/**
 * Why the reason of a repair is refused, and what to write instead. It is kept in clear, for as long as the
 * audit log: nothing of a customer belongs into it.
 */
export function refuseReason(why: string): string | undefined {
  const named = namedIn(why);
  return (
    named &&
    `The reason names ${named}: leave it out, and name the ticket. The reason is kept in clear.`
  );
}
