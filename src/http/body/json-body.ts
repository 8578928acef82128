import type { IncomingMessage } from 'node:http';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import getRawBody from 'raw-body';
import type { ZodType } from 'zod';
import { type Reason, type Refusal, refuse } from '../../domain/refusals.ts';
import {
  type Issue,
  MAXIMUM_ISSUES,
  type ReadBody,
  unknownFields,
  type Validated,
  validate,
} from './validation.ts';

/** The fields of a request body, not yet validated. */
export type JsonObject = Record<string, unknown>;

export type JsonBody = { readonly ok: true; readonly value: JsonObject } | Refusal;

const MAX_DEPTH = 32;
const SPACE = 0x20;
/** A media type may end so. */
const CHARSET = /^[\t ]*(?:;[\t ]*charset[\t ]*=[\t ]*"?utf-?8"?[\t ]*)?;?$/i;
const MAX_MEDIA_TYPE_LENGTH = 100;

/** Whether a body is said to be of a media type, in UTF-8. */
export function isMediaType(contentType: string | undefined, expected: string): boolean {
  const given = contentType ?? '';
  if (given.length > MAX_MEDIA_TYPE_LENGTH) return false;
  const text = given.trim();
  return text.toLowerCase().startsWith(expected) && CHARSET.test(text.slice(expected.length));
}

/**
 * Reads the raw bytes of a body as one JSON object. It also refuses text that two
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
): { readonly ok: true; readonly text: string } | Refusal {
  if (!isMediaType(contentType, 'application/json')) return refuse('media-type-unsupported');
  if (bytes.length === 0) return malformed('The body is empty: send a JSON object.');
  const text = decodeUtf8(bytes);
  return text === undefined ? malformed('The body is not valid UTF-8.') : { ok: true, text };
}

/** Reads text as one JSON object, by the rules of `parseJsonBody`. */
function parseJsonText(text: string): JsonBody {
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

const NOT_JSON = 'The body is not valid JSON.';

/** The request is refused; the detail repeats no part of the body. */
export const malformed = (detail: string): Refusal => refuse('request-invalid', { detail });

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Undefined for other text. */
export function parseJson(text: string): unknown {
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
function endOfString(text: string, start: number, limit = text.length): number {
  let position = start + 1;
  while (position < limit && text[position] !== '"') position += text[position] === '\\' ? 2 : 1;
  return position + 1;
}

/** Index of the first character from `position` on that is no white space; JSON has only spaces below "!". */
function afterBlanks(text: string, position: number): number {
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
export const isStorable = (text: string): boolean => !/[\0\p{Surrogate}]/u.test(text);

/** The largest body of a request, where the endpoint names no other. */
export const BODY_LIMIT_BYTES = 65_536;

/** The body could not be read, and the request is refused for this reason. */
export class RawBodyError extends Error {
  override readonly name = 'RawBodyError';

  readonly reason: Reason;

  constructor(reason: Reason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** How long the rest of a refused body is read, so that its sender can read the answer. */
const DISCARD_MILLISECONDS = 5_000;

/**
 * The bytes of a request's body exactly as sent, because signatures cover them. Throws a
 * RawBodyError above the limit, for a compressed body, and when the caller disconnects. After a
 * refusal the rest of the body is discarded and the request can be answered.
 */
export async function readRawBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    discardRest(request);
    throw new RawBodyError('media-type-unsupported', 'Send the body without Content-Encoding.');
  }
  try {
    return await getRawBody(request, {
      limit: limitBytes,
      length: request.headers['content-length'] ?? null,
    });
  } catch (error) {
    const type = error instanceof Error && 'type' in error ? error.type : undefined;
    if (type === 'entity.too.large') {
      discardRest(request);
      throw new RawBodyError('body-too-large', `The body may have at most ${limitBytes} bytes.`);
    }
    if (type === 'request.aborted') {
      throw new RawBodyError(
        'request-invalid',
        'The caller disconnected before the body was complete.',
      );
    }
    throw error;
  }
}

/**
 * An immediate close would reset the connection, and many clients would lose the answer. A body
 * without end is cut off after a while.
 */
function discardRest(request: IncomingMessage): void {
  if (request.complete) return;
  const cutOff = setTimeout(() => request.destroy(), DISCARD_MILLISECONDS);
  cutOff.unref();
  request.once('close', () => clearTimeout(cutOff));
  request.resume();
}

/**
 * The array of a body that may have many items. The service reads it in blocks, and serves other
 * requests between them.
 */
export interface LongArray {
  /** The field of the body. */
  readonly field: string;
  readonly item: ZodType;
  /** The singular noun, for messages. */
  readonly itemName: string;
  readonly maximumItems: number;
  /** The field of an item whose text no other item may have. */
  readonly uniqueField: string;
}

/** The items that are parsed and validated in one go: some milliseconds of work. */
const BLOCK_ITEMS = 200;
const BLOCK_CHARACTERS = BODY_LIMIT_BYTES;

/** A body whose array is cut into blocks: the parts are JSON if, and only if, the body is. */
interface SplitBody {
  readonly ok: true;
  /** The body with an empty array. */
  readonly rest: string;
  /** Bodies with the array alone, each with some of the items. */
  readonly blocks: readonly string[];
  /** Above the maximum there are no blocks. */
  readonly items: number;
}

/** Counts the items before anything is parsed, and stops above the maximum. */
async function splitBody(
  text: string,
  { field, itemName, maximumItems }: LongArray,
): Promise<SplitBody | Refusal> {
  const start = startOfArray(text.slice(0, 2 * BLOCK_CHARACTERS), field);
  if (start === undefined) return { ok: true, rest: text, blocks: [], items: 0 };
  const blocks: string[] = [];
  let items = 0;
  let [blockStart, itemStart] = [start, start];
  for (const end of itemEnds(text, start)) {
    if (end - itemStart > BLOCK_CHARACTERS) return tooLong(`a ${itemName}`);
    items += 1;
    itemStart = end + 1;
    if (items > maximumItems) return { ok: true, rest: '{}', blocks: [], items };
    const isLast = text[end] !== ',';
    if (isLast || items % BLOCK_ITEMS === 0 || itemStart - blockStart > BLOCK_CHARACTERS) {
      blocks.push(`{${JSON.stringify(field)}:[${text.slice(blockStart, end)}]}`);
      blockStart = itemStart;
      await yieldToOthers();
    }
    if (isLast) return { ok: true, rest: text.slice(0, start) + text.slice(end), blocks, items };
  }
  return malformed(NOT_JSON);
}

const tooLong = (what: string): Refusal =>
  malformed(`The body is too long: ${what} may have at most ${BLOCK_CHARACTERS} characters.`);

/** Index of the first item, where the body has an array with items in the field. */
function startOfArray(text: string, field: string): number | undefined {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if ('{['.includes(character)) depth += 1;
    else if ('}]'.includes(character)) depth -= 1;
    else if (character === '"') {
      const end = endOfString(text, at);
      const colon = afterBlanks(text, end);
      const value = afterBlanks(text, colon + 1);
      const isArray = depth === 1 && text[colon] === ':' && text[value] === '[';
      // A name may be written with escapes.
      if (isArray && parseJson(text.slice(at, end)) === field)
        return text[afterBlanks(text, value + 1)] === ']' ? undefined : value + 1;
      at = end - 1;
    }
  }
  return undefined;
}

/** Indices of the commas between items and of the bracket behind them; or one beyond a long item. */
function* itemEnds(text: string, start: number): Generator<number> {
  let itemStart = start;
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at, itemStart + BLOCK_CHARACTERS) - 1;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    const isEnd = depth < 0 || (depth === 0 && character === ',');
    if (isEnd || at - itemStart > BLOCK_CHARACTERS) yield at;
    if (isEnd) itemStart = at + 1;
  }
}

/** Validates a body item by item, until enough of them are wrong. */
export async function readLongArray(
  schema: ZodType | undefined,
  array: LongArray,
  text: string,
): Promise<ReadBody | Refusal> {
  const { field, item, itemName, maximumItems } = array;
  const split = await splitBody(text, array);
  if (!split.ok) return split;
  if (split.items > maximumItems) {
    const message = `must have at most ${maximumItems} ${itemName}s`;
    return { result: { ok: false, issues: [{ path: field, message }] }, unknown: [] };
  }
  if (split.rest.length > BLOCK_CHARACTERS) return tooLong(`all that is not in ${field}`);
  const rest = parseJsonText(split.rest);
  if (!rest.ok) return rest;
  const unknown = new Set(unknownFields(schema, rest.value));
  if (split.items === 0) return { result: validate(schema, rest.value), unknown: [...unknown] };
  const items: unknown[] = [];
  const issues: Issue[] = [];
  const firstOf = new Map<unknown, number>();
  for (const block of split.blocks) {
    const parsed = parseJsonText(block);
    if (!parsed.ok) return parsed;
    for (const sent of parsed.value[field] as unknown[]) {
      for (const name of unknownFields(item, sent)) unknown.add(`${field}.${name}`);
      const read = readItem(array, sent, { index: items.length, firstOf });
      items.push(read.ok ? read.value : undefined);
      if (!read.ok) issues.push(...read.issues);
      if (issues.length >= MAXIMUM_ISSUES) break;
    }
    if (issues.length >= MAXIMUM_ISSUES) break;
    await yieldToOthers();
  }
  if (issues.length > 0) return { result: { ok: false, issues }, unknown: [...unknown] };
  // Nothing stood between two commas at the end of a block.
  if (items.length !== split.items) return malformed(NOT_JSON);
  return { result: { ok: true, value: { [field]: items } }, unknown: [...unknown] };
}

function readItem(
  { field, item, uniqueField }: LongArray,
  sent: unknown,
  { index, firstOf }: { readonly index: number; readonly firstOf: Map<unknown, number> },
): Validated {
  const wrong = (path: string, message: string): Issue => ({
    path: [field, index, path].filter((part) => part !== '').join('.'),
    message,
  });
  const read = validate(item, sent);
  if (!read.ok)
    return { ok: false, issues: read.issues.map(({ path, message }) => wrong(path, message)) };
  const unique = (read.value as JsonObject)[uniqueField];
  const first = firstOf.get(unique);
  if (first === undefined) firstOf.set(unique, index);
  else return { ok: false, issues: [wrong(uniqueField, `is that of ${field}.${first}, too`)] };
  return read;
}
