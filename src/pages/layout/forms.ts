import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { type Refusal, refuse } from '../../domain/refusals.ts';
import { readRawBody } from '../../http/body/json-body.ts';
import { type Html, html } from '../../rendering/html.ts';
import type { Form } from '../page.ts';
import { field, formTokenField, selectField } from './parts.ts';

/** A text for the database, which stores no U+0000: another control character stands for it, and no field allows it. */
export const storable = (text: string): string => text.replaceAll('\0', '\u0001');

/** The form of a request that sends none. */
export const emptyForm: Form = { text: () => '', names: () => [] };

const FORM_LIMIT_BYTES = 32_768;
const URL_ENCODED = /^application\/x-www-form-urlencoded\s*(;|$)/i;

/** Reads a form in the usual encoding of browsers. */
async function readUrlEncoded(request: IncomingMessage): Promise<Form | Refusal> {
  if (!URL_ENCODED.test(request.headers['content-type'] ?? ''))
    return refuse('media-type-unsupported');
  const body = await readRawBody(request, FORM_LIMIT_BYTES);
  return formOf(new URLSearchParams(body.toString('utf8')));
}

const formOf = (fields: Pick<URLSearchParams | Map<string, string>, 'get' | 'keys'>): Form => ({
  text: (name) => storable(fields.get(name) ?? ''),
  names: () => [...new Set(fields.keys())],
});

/** Reads the form that a page is sent; a page without one has an empty form. */
export function readForm(
  { method, form }: { readonly method: string; readonly form?: 'with-file' | 'with-list' },
  request: IncomingMessage,
): Promise<Form | Refusal> {
  if (method === 'GET') return Promise.resolve(emptyForm);
  if (form === undefined) return readUrlEncoded(request);
  return readFormWithFile(request, form === 'with-list' ? 'list' : 'file');
}

/** The limit of one text; the whole form may be twice as long, and needs its boundaries. */
const textBytes = {
  /** More than a public key with a page of explanation. */
  file: 16_384,
  /** As many lines as a bulk order has, each with all its fields. */
  list: 3 * 1024 * 1024,
} as const;
const FURTHER_BYTES = 32_768;

/**
 * Reads a multipart form with a small text file, or with a file that is a long list. A form beyond the
 * limits is refused as a whole; the file's name and type are ignored. DER, which is not text, is
 * converted to base64.
 */
async function readFormWithFile(
  request: IncomingMessage,
  kind: keyof typeof textBytes,
): Promise<Form | Refusal> {
  const type = request.headers['content-type'] ?? '';
  if (!/^multipart\/form-data\s*;/i.test(type)) return refuse('media-type-unsupported');
  const body = await readRawBody(request, 2 * textBytes[kind] + FURTHER_BYTES);
  const fields = await parse(body, type, textBytes[kind]);
  if (fields === 'too-large') return refuse('body-too-large');
  if (fields === 'malformed') return refuse('request-invalid');
  return formOf(fields);
}

/** First byte of a key in DER; no textual key begins with it. */
const DER_SEQUENCE = 0x30;

const textOf = (file: Buffer): string =>
  file.toString(file[0] === DER_SEQUENCE ? 'base64' : 'utf8');

type Fields = Map<string, string> | 'too-large' | 'malformed';

function parse(body: Buffer, type: string, bytes: number): Promise<Fields> {
  const limits = { fieldNameSize: 50, fieldSize: bytes, fields: 10, files: 1, fileSize: bytes };
  const fields = new Map<string, string>();
  const add = (name: string, value: string) => {
    if (!fields.has(name)) fields.set(name, value);
  };
  return new Promise((resolve) => {
    let isTooLarge = false;
    const tooLarge = () => {
      isTooLarge = true;
    };
    try {
      const parser = new Busboy({ headers: { 'content-type': type }, limits });
      parser.on('field', (name, value, _nameCut, valueCut) => {
        if (valueCut) tooLarge();
        add(name, value);
      });
      parser.on('file', (name, file) => {
        const chunks: Buffer[] = [];
        file.on('data', (chunk: Buffer) => chunks.push(chunk));
        file.on('limit', tooLarge);
        // A truncated body raises an error of the file only; without a listener it ends the
        // process.
        file.on('error', () => resolve('malformed'));
        file.on('end', () => add(name, textOf(Buffer.concat(chunks))));
      });
      for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const)
        parser.on(limit, tooLarge);
      parser.on('error', () => resolve('malformed'));
      parser.on('finish', () => resolve(isTooLarge ? 'too-large' : fields));
      Readable.from([body]).pipe(parser);
    } catch {
      // The parser cannot be created without a boundary.
      resolve('malformed');
    }
  });
}

/** A filter field of a page. */
export interface FilterField {
  readonly label: string;
  /** The choices, by their sent values; absent for a text field. */
  readonly options?: readonly (readonly [value: string, label: string])[];
  readonly isDay?: true;
}

/**
 * A GET form: its result has its own address, which people can bookmark and share. Empty fields
 * filter nothing. With a token the form is sent by POST, because a field of it may have a phone number.
 */
export const filterForm = (form: {
  readonly action: string;
  readonly formToken?: string | undefined;
  /** The address of everything; that of the form by default. */
  readonly all?: string;
  readonly fields: Readonly<Record<string, FilterField>>;
  readonly values: Readonly<Record<string, string>>;
  readonly problems: Readonly<Record<string, string | undefined>>;
}): Html => html`<form class="filters" method="${form.formToken === undefined ? 'get' : 'post'}" action="${form.action}">
${form.formToken !== undefined && formTokenField(form.formToken)}
${Object.entries(form.fields).map(([name, { label, options, isDay }]) => {
  const value = form.values[name] ?? '';
  const error = form.problems[name];
  return options === undefined
    ? field({ name, label, value, error, isOptional: true, ...(isDay && { type: 'date' }) })
    : selectField({ name, label, value, options: [['', 'All'], ...options], error });
})}
<div class="actions"><button>Show</button>
${Object.keys(form.values).length > 0 && html`<a href="${form.all ?? form.action}">Show all</a>`}</div>
</form>`;

/** The form of a range of days. */
export const daysForm = (
  action: string,
  { values, problems }: Pick<Parameters<typeof filterForm>[0], 'values' | 'problems'>,
): Html =>
  html`<form class="filters" method="get" action="${action}">
${field({ name: 'from', label: 'From', type: 'date', value: values.from ?? '', error: problems.from, isOptional: true })}
${field({ name: 'to', label: 'To', type: 'date', value: values.to ?? '', error: problems.to, isOptional: true })}
<div class="actions"><button>Show</button></div>
</form>`;
