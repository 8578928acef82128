import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, rename } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { type Money, parseMoney } from '../../domain/money.ts';

/** A transfer as a file of an archive has it. */
export interface ArchivedTransfer {
  readonly id: number;
  /** With microseconds and offset, as PostgreSQL reads it. */
  readonly created_at: string;
  readonly operation_id: string;
  readonly step: string;
  readonly debit_account_id: number;
  readonly credit_account_id: number;
  /** Decimal string. */
  readonly amount: string;
}

const COLUMNS = [
  ...(['id', 'created_at', 'operation_id', 'step', 'debit_account_id'] as const),
  ...(['credit_account_id', 'amount'] as const),
] as const satisfies readonly (keyof ArchivedTransfer)[];

const HEADER = COLUMNS.join(',');

/** None of our identifiers, times and amounts needs quotation marks in CSV. */
const NEEDS_QUOTES = /[",\r\n]/;

function lineOf(transfer: ArchivedTransfer): string {
  const cells = COLUMNS.map((column) => String(transfer[column]));
  if (cells.some((cell) => NEEDS_QUOTES.test(cell)))
    throw new Error(`Transfer ${transfer.id} does not fit into a file of the archive`);
  return `${cells.join(',')}\n`;
}

function transferOf(line: string): ArchivedTransfer {
  const [id, at, operation = '', step = '', debit, credit, amount = ''] = line.split(',');
  return {
    id: Number(id),
    created_at: at ?? '',
    operation_id: operation,
    step,
    debit_account_id: Number(debit),
    credit_account_id: Number(credit),
    amount,
  };
}

/** A file of the archive is missing or damaged. */
export class ArchiveFileError extends Error {
  override readonly name = 'ArchiveFileError';
}

/**
 * Writes transfers to a compressed CSV file below a folder, as `copy … with (format csv, header)` reads it. The file gets
 * its name once its bytes are on the disk: a crash leaves the former file, or none.
 */
export async function writeArchiveFile(
  folder: string,
  file: string,
  transfers: AsyncIterable<readonly ArchivedTransfer[]>,
): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const partial = `${file}.partial`;
  async function* lines() {
    yield `${HEADER}\n`;
    for await (const batch of transfers) yield batch.map(lineOf).join('');
  }
  await pipeline(Readable.from(lines()), createGzip(), createWriteStream(partial, { flush: true }));
  await rename(partial, file);
  // Its own folder may be new, and so may the next one.
  for (let path = file; relative(folder, path) !== ''; path = dirname(path))
    await syncFolder(dirname(path));
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** The content of a file: its digest, and sums of its transfers. */
interface ArchiveFileSums {
  readonly sha256: string;
  readonly transfers: number;
  readonly amount: Money;
  /** By debit account, credit account and step, with spaces between them. */
  readonly moved: ReadonlyMap<string, { readonly count: number; readonly amount: Money }>;
}

/** Reads a whole file, and adds up what it has. */
export async function sumsOfArchiveFile(file: string): Promise<ArchiveFileSums> {
  const moved = new Map<string, { count: number; amount: Money }>();
  let [transfers, total] = [0, 0n];
  const sha256 = await readArchiveFile(file, (transfer) => {
    const key = `${transfer.debit_account_id} ${transfer.credit_account_id} ${transfer.step}`;
    const { count, amount } = moved.get(key) ?? { count: 0, amount: 0n };
    const added = parseMoney(transfer.amount);
    moved.set(key, { count: count + 1, amount: amount + added });
    transfers += 1;
    total += added;
  });
  return { sha256, transfers, amount: total, moved };
}

/**
 * Hands on each transfer of a file; returns the digest of its bytes.
 *
 * @throws {ArchiveFileError} where the file cannot be read to its end
 */
export async function readArchiveFile(
  file: string,
  take: (transfer: ArchivedTransfer) => void,
): Promise<string> {
  const digest = createHash('sha256');
  const hashed = new Transform({
    transform(bytes, _encoding, done) {
      digest.update(bytes);
      done(null, bytes);
    },
  });
  try {
    await pipeline(createReadStream(file), hashed, createGunzip(), (text) => takeLines(text, take));
  } catch (error) {
    throw new ArchiveFileError(`The archived transfers in ${file} cannot be read`, {
      cause: error,
    });
  }
  return digest.digest('hex');
}

async function takeLines(
  text: AsyncIterable<Buffer>,
  take: (transfer: ArchivedTransfer) => void,
): Promise<void> {
  let isHeader = true;
  let rest = '';
  for await (const bytes of text) {
    const lines = (rest + bytes.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!isHeader) take(transferOf(line));
      else if (line !== HEADER) throw new Error('The first line does not name the columns');
      isHeader = false;
    }
  }
  if (isHeader || rest !== '') throw new Error('The last line is not complete');
}
