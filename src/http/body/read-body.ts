import { type Refusal, refuse } from '../../domain/refusals.ts';
import type { Endpoint } from '../endpoint.ts';
import {
  isMediaType,
  type JsonBody,
  type JsonObject,
  malformed,
  parseJsonBody,
  readJsonText,
  readLongArray,
} from './json-body.ts';
import { type ReadBody, unknownFields, validate } from './validation.ts';

/** Reads the raw bytes of a body as a form, each field once; the fields are texts. */
function parseFormBody(bytes: Uint8Array, contentType: string | undefined): JsonBody {
  if (!isMediaType(contentType, 'application/x-www-form-urlencoded'))
    return refuse('media-type-unsupported');
  const value: JsonObject = Object.create(null);
  for (const [name, text] of new URLSearchParams(Buffer.from(bytes).toString('utf8'))) {
    if (name in value) return malformed('The body must have each field once.');
    if (text.includes('\0') || name.includes('\0'))
      return malformed('The body must not contain the character U+0000.');
    value[name] = text;
  }
  return { ok: true, value };
}

/** Parses a body and validates it against the endpoint's schema. */
export async function readBody(
  endpoint: Endpoint,
  rawBody: Buffer | undefined,
  contentType: string | undefined,
): Promise<ReadBody | Refusal> {
  if (!rawBody || !endpoint.body) {
    const sent = rawBody?.length ? parseJsonBody(rawBody, contentType) : undefined;
    const unknown = sent?.ok ? Object.keys(sent.value) : [];
    return { result: validate(undefined, undefined), unknown };
  }
  return parseAndValidate(endpoint, rawBody, contentType);
}

async function parseAndValidate(
  { body: schema, isForm, lacks, longArray }: Endpoint,
  rawBody: Buffer,
  contentType: string | undefined,
): Promise<ReadBody | Refusal> {
  if (longArray) {
    const json = readJsonText(rawBody, contentType);
    return json.ok ? readLongArray(schema, longArray, json.text) : json;
  }
  const parsed = (isForm ? parseFormBody : parseJsonBody)(rawBody, contentType);
  if (!parsed.ok) return parsed;
  return {
    result: validate(schema, parsed.value),
    lacking: lacks?.(parsed.value),
    unknown: unknownFields(schema, parsed.value),
  };
}
