import type { JsonBody, JsonObject } from './json-body.ts';

const MEDIA_TYPE =
  /^application\/x-www-form-urlencoded[\t ]*(?:;[\t ]*charset[\t ]*=[\t ]*"?utf-?8"?[\t ]*)?;?$/i;

/** Reads the raw bytes of a body as a form, each field once; the fields are texts. */
export function parseFormBody(bytes: Uint8Array, contentType: string | undefined): JsonBody {
  if (!MEDIA_TYPE.test((contentType ?? '').slice(0, 100).trim()))
    return {
      ok: false,
      kind: 'unsupported-media-type',
      message:
        'Send the body as a form, with the header Content-Type: application/x-www-form-urlencoded.',
    };
  const value: JsonObject = Object.create(null);
  for (const [name, text] of new URLSearchParams(Buffer.from(bytes).toString('utf8'))) {
    if (name in value) return malformed('The body must have each field once.');
    if (text.includes('\0') || name.includes('\0'))
      return malformed('The body must not contain the character U+0000.');
    value[name] = text;
  }
  return { ok: true, value };
}

const malformed = (message: string): JsonBody => ({ ok: false, kind: 'malformed', message });
