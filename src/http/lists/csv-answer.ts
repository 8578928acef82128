import type { IncomingHttpHeaders } from 'node:http';
import { type CsvRow, csv, csvLines } from '../../rendering/csv.ts';
import { type Reply, reply } from '../envelope.ts';

/** Whether a caller asks for a file for spreadsheets. */
export const wantsCsv = ({ accept = '' }: IncomingHttpHeaders): boolean =>
  accept.split(',').some((type) => /^\s*text\/csv\s*(;|$)/i.test(type));

/** Some rows of a file, and how to go on. */
export interface CsvBatch {
  readonly rows: readonly CsvRow[];
  /** Reads the next rows; undefined after the last. */
  readonly next: (() => Promise<CsvBatch>) | undefined;
}

/** Answers a file whose first rows are there; the others are read as fast as the caller takes them. */
export const csvReply = (name: string, names: readonly string[], first: CsvBatch): Reply =>
  reply(null, { file: { name, type: 'text/csv', parts: partsOf(names, first) } });

async function* partsOf(names: readonly string[], first: CsvBatch): AsyncGenerator<string> {
  yield csv([names, ...first.rows]);
  for (let read = first.next; read; ) {
    const batch = await read();
    yield csvLines(batch.rows);
    read = batch.next;
  }
}
