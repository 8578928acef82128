import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { AdminError } from '../admin-error.ts';
import type { Parser } from '../fields.ts';
import { importLimits } from './import-row.ts';

/** A file that was read. */
export interface ImportFile {
  /** The file name without folders; "standard input" for "-". */
  readonly name: string;
  readonly text: string;
  /** SHA-256 of its bytes, which identifies it in the audit log. */
  readonly digest: string;
}

/** A text file, or standard input for "-". */
export const importFile: Parser<ImportFile> = {
  placeholder: 'file',
  async parse(path) {
    const bytes = await readBytes(path === '-' ? process.stdin : createReadStream(path));
    return {
      name: path === '-' ? 'standard input' : basename(path).replaceAll(/\p{C}/gu, '?'),
      text: decode(bytes),
      digest: createHash('sha256').update(bytes).digest('hex'),
    };
  },
};

async function readBytes(stream: AsyncIterable<Buffer | string>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream) {
      chunks.push(Buffer.from(chunk));
      size += chunk.length;
      if (size > importLimits.bytes) break;
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error)
      throw new AdminError(`cannot be read (${error.code})`);
    throw error;
  }
  if (size <= importLimits.bytes) return Buffer.concat(chunks);
  const megabytes = importLimits.bytes / 1024 / 1024;
  throw new AdminError(`is larger than ${megabytes} MB: import it in parts`);
}

/** Removes a byte-order mark at the beginning. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Buffer): string {
  const nul = bytes.indexOf(0);
  if (nul >= 0)
    throw new AdminError(
      `contains a NUL character (line ${lineOf(bytes, nul)}): save it as text in UTF-8`,
    );
  try {
    return utf8.decode(bytes);
  } catch {
    throw new AdminError('is not in UTF-8: save it so (spreadsheets call it "CSV UTF-8")');
  }
}

const lineOf = (bytes: Buffer, position: number): number =>
  bytes.subarray(0, position).toString('latin1').split('\n').length;
