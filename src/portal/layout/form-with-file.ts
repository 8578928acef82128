import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { type Refusal, refuse } from '../../domain/errors.js';
import { readRawBody } from '../../http/raw-body.js';
import type { Form } from './form.js';

/** Of the whole form; more than a public key with a page of explanation. */
const FORM_LIMIT_BYTES = 65_536;
const LIMITS = { fieldNameSize: 50, fieldSize: 16_384, fields: 10, files: 1, fileSize: 16_384 };

/**
 * Reads a multipart form with a text file. A form beyond the limits is refused as a whole; the
 * file's name and type are ignored. DER, which is not text, is converted to base64.
 */
export async function readFormWithFile(request: IncomingMessage): Promise<Form | Refusal> {
  const type = request.headers['content-type'] ?? '';
  if (!/^multipart\/form-data\s*;/i.test(type)) return refuse('media-type-unsupported');
  const body = await readRawBody(request, FORM_LIMIT_BYTES);
  const fields = await parse(body, type);
  if (fields === 'too-large') return refuse('body-too-large');
  if (fields === 'malformed') return refuse('request-invalid');
  return { text: (name) => fields.get(name) ?? '' };
}

/** First byte of a key in DER; no textual key begins with it. */
const DER_SEQUENCE = 0x30;

const textOf = (file: Buffer): string =>
  file.toString(file[0] === DER_SEQUENCE ? 'base64' : 'utf8');

type Fields = Map<string, string> | 'too-large' | 'malformed';

function parse(body: Buffer, type: string): Promise<Fields> {
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
      const parser = new Busboy({ headers: { 'content-type': type }, limits: LIMITS });
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
