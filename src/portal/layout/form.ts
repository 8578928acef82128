import type { IncomingMessage } from 'node:http';
import { type Refusal, refuse } from '../../domain/refusals.ts';
import { readRawBody } from '../../http/body/raw-body.ts';

/** The fields of a sent form; of a repeated field the first counts. */
export interface Form {
  /** Empty where the field is missing. */
  text(name: string): string;
  /** The names of all fields. */
  names(): readonly string[];
}

export const emptyForm: Form = { text: () => '', names: () => [] };

const FORM_LIMIT_BYTES = 32_768;
const URL_ENCODED = /^application\/x-www-form-urlencoded\s*(;|$)/i;

/** Reads a form in the encoding of browsers. */
export async function readForm(request: IncomingMessage): Promise<Form | Refusal> {
  if (!URL_ENCODED.test(request.headers['content-type'] ?? ''))
    return refuse('media-type-unsupported');
  const body = await readRawBody(request, FORM_LIMIT_BYTES);
  const fields = new URLSearchParams(body.toString('utf8'));
  return { text: (name) => fields.get(name) ?? '', names: () => [...new Set(fields.keys())] };
}

/** A name in one line, without characters that would overlap other text. */
export function readName(text: string, maximumLength: number): string | undefined {
  const name = text.trim().normalize('NFC');
  const isPrintable = /^[^\p{C}\p{Zl}\p{Zp}]+$/u.test(name);
  return isPrintable && name.length <= maximumLength ? name : undefined;
}
