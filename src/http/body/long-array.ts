import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { ZodType } from 'zod';
import {
  afterBlanks,
  endOfString,
  type JsonObject,
  malformed,
  NOT_JSON,
  type NoJsonBody,
  parseJsonText,
} from './json-body.ts';
import { BODY_LIMIT_BYTES } from './raw-body.ts';
import { unknownFields } from './unknown-fields.ts';
import {
  type Issue,
  MAXIMUM_ISSUES,
  type ReadBody,
  type Validated,
  validate,
} from './validation.ts';

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

/** What is parsed and validated in one go: some milliseconds of work. */
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
): Promise<SplitBody | NoJsonBody> {
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

const tooLong = (what: string): NoJsonBody =>
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
      if (isArray && isName(text.slice(at, end), field))
        return text[afterBlanks(text, value + 1)] === ']' ? undefined : value + 1;
      at = end - 1;
    }
  }
  return undefined;
}

/** A name may be written with escapes. */
function isName(quoted: string, field: string): boolean {
  try {
    return JSON.parse(quoted) === field;
  } catch {
    return false;
  }
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
): Promise<ReadBody | NoJsonBody> {
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
  { field, item, itemName, uniqueField }: LongArray,
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
  else
    return { ok: false, issues: [wrong(uniqueField, `is that of ${itemName} ${first + 1}, too`)] };
  return read;
}
