import { type Refusal, refuse } from '../../domain/refusals.ts';
import type { Endpoint } from '../endpoint.ts';
import { parseFormBody } from './form-body.ts';
import { type NoJsonBody, parseJsonBody, readJsonText } from './json-body.ts';
import { readLongArray } from './long-array.ts';
import { unknownFields } from './unknown-fields.ts';
import { type ReadBody, validate } from './validation.ts';

/** Parses a body and validates it against the endpoint's schema. */
export async function readBody(
  endpoint: Endpoint,
  rawBody: Buffer | undefined,
  contentType: string | undefined,
): Promise<ReadBody | Refusal> {
  if (!rawBody) return { result: validate(undefined, undefined), unknown: [] };
  const read = await parseAndValidate(endpoint, rawBody, contentType);
  if (!('ok' in read)) return read;
  if (read.kind === 'unsupported-media-type') return refuse('media-type-unsupported');
  return refuse('request-invalid', { detail: read.message });
}

async function parseAndValidate(
  { body: schema, isForm, lacks, longArray }: Endpoint,
  rawBody: Buffer,
  contentType: string | undefined,
): Promise<ReadBody | NoJsonBody> {
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
