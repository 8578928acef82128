/** The fields of a request body, not yet validated. */
export type JsonObject = Record<string, unknown>;

export interface NoJsonBody {
  readonly ok: false;
  readonly kind: 'unsupported-media-type' | 'malformed';
  readonly message: string;
}

export type JsonBody = { readonly ok: true; readonly value: JsonObject } | NoJsonBody;

const MAX_DEPTH = 32;
const SPACE = 0x20;
const MEDIA_TYPE = /^application\/json[\t ]*(?:;[\t ]*charset[\t ]*=[\t ]*"?utf-?8"?[\t ]*)?;?$/i;
const MAX_MEDIA_TYPE_LENGTH = 100;

/**
 * Reads the raw bytes of a body as one JSON object (design 3). It also refuses text that two
 * parsers could understand differently, such as a repeated field, and text that PostgreSQL cannot
 * store. No message repeats a part of the body, which may hold a secret.
 */
export function parseJsonBody(bytes: Uint8Array, contentType: string | undefined): JsonBody {
  const read = readJsonText(bytes, contentType);
  return read.ok ? parseJsonText(read.text) : read;
}

/** The text of a body that is said to be JSON, not yet parsed. */
export function readJsonText(
  bytes: Uint8Array,
  contentType: string | undefined,
): { readonly ok: true; readonly text: string } | NoJsonBody {
  const mediaType = contentType ?? '';
  if (mediaType.length > MAX_MEDIA_TYPE_LENGTH || !MEDIA_TYPE.test(mediaType.trim())) {
    return {
      ok: false,
      kind: 'unsupported-media-type',
      message: 'Send the body as JSON in UTF-8, with the header Content-Type: application/json.',
    };
  }
  if (bytes.length === 0) return malformed('The body is empty: send a JSON object.');
  const text = decodeUtf8(bytes);
  return text === undefined ? malformed('The body is not valid UTF-8.') : { ok: true, text };
}

/** Reads text as one JSON object, by the rules of `parseJsonBody`. */
export function parseJsonText(text: string): JsonBody {
  const value = parseJson(text);
  if (value === undefined) return malformed(NOT_JSON);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return malformed('The body must be a JSON object.');
  }
  const { problem, hasProtoKey } = inspectJson(text);
  if (problem !== undefined) return malformed(problem);
  const safe = hasProtoKey ? JSON.parse(text, dropProtoKey) : value;
  return { ok: true, value: safe };
}

export const NOT_JSON = 'The body is not valid JSON.';

export const malformed = (message: string): NoJsonBody => ({
  ok: false,
  kind: 'malformed',
  message,
});

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A field of this name becomes dangerous when it is copied to another object. */
const PROTO_KEY = '__proto__';
const dropProtoKey = (key: string, value: unknown) => (key === PROTO_KEY ? undefined : value);

/**
 * Scans valid JSON text once, without recursion, for what JSON.parse accepts: deep nesting,
 * repeated keys, and strings that PostgreSQL refuses.
 */
function inspectJson(text: string): { problem?: string; hasProtoKey: boolean } {
  /** The keys seen in each open object; undefined for an open array. */
  const open: (Set<string> | undefined)[] = [];
  let hasProtoKey = false;
  const found = (problem: string) => ({ problem, hasProtoKey });
  for (let position = 0; position < text.length; position += 1) {
    const character = text[position];
    if (character === '{' || character === '[') {
      open.push(character === '{' ? new Set() : undefined);
      if (open.length > MAX_DEPTH) return found(`The body has more than ${MAX_DEPTH} levels.`);
    } else if (character === '}' || character === ']') {
      open.pop();
    } else if (character === '"') {
      const end = endOfString(text, position);
      const quoted = text.slice(position, end);
      position = end - 1;
      // The text is valid UTF-8, so only an escape can produce an unstorable character.
      const isEscaped = quoted.includes('\\');
      const content = isEscaped ? JSON.parse(quoted) : quoted.slice(1, -1);
      if (isEscaped && !isStorable(content)) {
        return found('A text contains a NUL character or an unpaired surrogate.');
      }
      if (!isFollowedByColon(text, end)) continue;
      if (open.at(-1)?.has(content)) return found('A field appears twice: send each only once.');
      open.at(-1)?.add(content);
      hasProtoKey ||= content === PROTO_KEY;
    }
  }
  return { hasProtoKey };
}

/** Index after the closing quote of the string that opens at `start`; beyond `limit` without one before it. */
export function endOfString(text: string, start: number, limit = text.length): number {
  let position = start + 1;
  while (position < limit && text[position] !== '"') position += text[position] === '\\' ? 2 : 1;
  return position + 1;
}

/** Index of the first character from `position` on that is no white space; JSON has only spaces below "!". */
export function afterBlanks(text: string, position: number): number {
  let end = position;
  while (text.charCodeAt(end) <= SPACE) end += 1;
  return end;
}

/** In valid JSON only a key precedes a colon. */
const isFollowedByColon = (text: string, end: number): boolean =>
  text[afterBlanks(text, end)] === ':';

/**
 * PostgreSQL stores neither NUL nor an unpaired surrogate; with `u` a whole pair does not match.
 */
const isStorable = (text: string): boolean => !/[\0\p{Surrogate}]/u.test(text);
