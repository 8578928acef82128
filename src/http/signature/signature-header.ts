export interface SignatureHeader {
  /** Encoded as sent. */
  readonly signature: string;
  /** One character for each signed byte, as Node.js presents headers. */
  readonly message: string;
}

/**
 * Splits `x-signature` into signature and message (design 8). A header cannot contain a line break,
 * so the first match decides: `\n` (backslash and n), followed by the plain message; `%0A`, where
 * the whole value is percent-encoded; otherwise base64 of a text with a line break. `\r\n`,
 * `%0D%0A` and CR LF are line breaks, too. Returns undefined for anything else.
 */
export const splitSignatureHeader = (header: string): SignatureHeader | undefined =>
  splitAt(header, /(?:\\r)?\\n/) ?? splitPercentEncoded(header) ?? splitBase64(header);

function splitAt(text: string, lineBreak: RegExp): SignatureHeader | undefined {
  const found = lineBreak.exec(text);
  if (!found) return undefined;
  return {
    signature: text.slice(0, found.index),
    message: text.slice(found.index + found[0].length),
  };
}

/** An encoded line break implies that "+", "/", "=" and ":" are encoded as well. */
function splitPercentEncoded(header: string): SignatureHeader | undefined {
  const parts = splitAt(header, /(?:%0D)?%0A/i);
  return (
    parts && { signature: decodePercent(parts.signature), message: decodePercent(parts.message) }
  );
}

const decodePercent = (text: string): string =>
  text.replace(/%([0-9a-f]{2})/gi, (_, byte: string) =>
    String.fromCharCode(Number.parseInt(byte, 16)),
  );

/** A bare signature is base64 too, but its bytes are not text, even if one is a line feed. */
function splitBase64(header: string): SignatureHeader | undefined {
  if (!/^(?:[\w-]+|[A-Za-z0-9+/]+)={0,2}$/.test(header)) return undefined;
  const text = Buffer.from(header, 'base64').toString('latin1');
  return /^[\w+/=-]+\r?\n/.test(text) ? splitAt(text, /\r?\n/) : undefined;
}
