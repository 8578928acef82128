import { domainToASCII } from 'node:url';

const MAXIMUM_LENGTH = 253;
/** The URL parser would silently cut other parts off: "shop.example/24" is no name. */
const WRITTEN = /^[a-z0-9.\-\u0080-\u{10ffff}]+$/iu;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Letters, or the punycode of a top-level domain in another script; never a number. */
const LAST_LABEL = /^(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/;

/**
 * Reads a fully qualified name in its DNS form: lower case, punycode, without the final dot.
 * Undefined for everything else: wildcards, single labels, and text that could be read as an
 * address ("127.1", "0x7f000001").
 */
export function parseHostName(text: string): string | undefined {
  if (text.length > MAXIMUM_LENGTH + 1 || !WRITTEN.test(text)) return undefined;
  const name = domainToASCII(text).replace(/\.$/, '').toLowerCase();
  const labels = name.split('.');
  const isName =
    name.length <= MAXIMUM_LENGTH &&
    labels.length > 1 &&
    labels.every((label) => LABEL.test(label)) &&
    LAST_LABEL.test(labels.at(-1) ?? '');
  return isName ? name : undefined;
}
