import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  truncateSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** A file to which lines of JSON are only added. */
export interface Journal {
  /** The line is with the operating system when this returns, so that it outlives a killed process. */
  add(entry: unknown): void;
  /** Later entries are not kept. */
  close(): void;
}

/** A full file takes the place of the previous file, so that both together hold at most twice this. */
const MOST_BYTES = 16 * 1024 ** 2;

/**
 * Opens a journal, and creates it where there is none.
 *
 * @param read gets every kept entry, oldest first, before this returns
 */
export function openJournal(
  file: string,
  read: (entry: unknown) => void,
  mostBytes = MOST_BYTES,
): Journal {
  mkdirSync(dirname(file), { recursive: true });
  const former = `${file}.former`;
  for (const line of [...linesOf(former), ...linesOf(file)]) read(JSON.parse(line));
  const open = () => openSync(file, 'a', 0o600);
  let descriptor: number | undefined = open();
  let bytes = fstatSync(descriptor).size;
  return {
    add(entry) {
      if (descriptor === undefined) return;
      const line = Buffer.from(`${JSON.stringify(entry)}\n`);
      if (bytes > 0 && bytes + line.length > mostBytes) {
        closeSync(descriptor);
        renameSync(file, former);
        descriptor = open();
        bytes = 0;
      }
      appendFileSync(descriptor, line);
      bytes += line.length;
    },
    close() {
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
    },
  };
}

/** The whole lines of a file. A line that a killed process was writing is cut off. */
function linesOf(file: string): string[] {
  if (!existsSync(file)) return [];
  const content = readFileSync(file);
  const end = content.lastIndexOf('\n') + 1;
  if (end < content.length) truncateSync(file, end);
  return content.toString('utf8', 0, end).split('\n').filter(Boolean);
}
