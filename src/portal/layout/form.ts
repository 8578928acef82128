import type { IncomingMessage } from 'node:http';
import { type Refusal, refuse } from '../../domain/errors.js';
import { readRawBody } from '../../http/raw-body.js';

/** The fields of a form that was sent; of a field that comes twice the first counts. */
export interface Form {
  /** Empty where there is no such field. */
  text(name: string): string;
}

export const emptyForm: Form = { text: () => '' };

const FORM_LIMIT_BYTES = 32_768;
const URL_ENCODED = /^application\/x-www-form-urlencoded\s*(;|$)/i;

/** Reads a form as browsers send it. */
export async function readForm(request: IncomingMessage): Promise<Form | Refusal> {
  if (!URL_ENCODED.test(request.headers['content-type'] ?? ''))
    return refuse('media-type-unsupported');
  const body = await readRawBody(request, FORM_LIMIT_BYTES);
  const fields = new URLSearchParams(body.toString('utf8'));
  return { text: (name) => fields.get(name) ?? '' };
}

/** A name that people give: one line, without characters that would paint over what is beside it. */
export function readName(text: string, maximumLength: number): string | undefined {
  const name = text.trim().normalize('NFC');
  const isPrintable = /^[^\p{C}\p{Zl}\p{Zp}]+$/u.test(name);
  return isPrintable && name.length <= maximumLength ? name : undefined;
}
