/** A file of an archive. */
export interface ArchivedFile {
  /** With slashes; of at most 100 bytes, since longer ones need extensions of the format. */
  readonly path: string;
  readonly content: Buffer;
  /** A program, such as a shell script. */
  readonly isExecutable?: boolean;
}

const BLOCK = 512;

/**
 * A tar archive (POSIX ustar) of files. It depends on nothing but them: neither times nor people of the
 * machine are in it, so that the same files always have the same checksum.
 */
export const tarOf = (files: readonly ArchivedFile[]): Buffer =>
  Buffer.concat([...files.flatMap(entryOf), Buffer.alloc(2 * BLOCK)]);

function entryOf(file: ArchivedFile): Buffer[] {
  const { content } = file;
  return [headerOf(file), content, Buffer.alloc(-content.length & (BLOCK - 1))];
}

/** Some programs refuse files of 1970. */
const TIME_SECONDS = Date.UTC(2000, 0, 1) / 1_000;

/** Where the fields of a header begin. */
const AT = {
  mode: 100,
  owner: 108,
  group: 116,
  size: 124,
  time: 136,
  sum: 148,
  type: 156,
  magic: 257,
};

function headerOf({ path, content, isExecutable = false }: ArchivedFile): Buffer {
  if (Buffer.byteLength(path) > 100) throw new Error(`${path} is too long for a tar archive`);
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, length: number, at: number) =>
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1');
  header.write(path, 0);
  octal(isExecutable ? 0o755 : 0o644, 8, AT.mode);
  octal(0, 8, AT.owner);
  octal(0, 8, AT.group);
  octal(content.length, 12, AT.size);
  octal(TIME_SECONDS, 12, AT.time);
  header.write('0', AT.type);
  header.write('ustar\x0000', AT.magic, 'latin1');
  // The sum counts its own field as spaces.
  header.fill(' ', AT.sum, AT.sum + 8);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, AT.sum, 'latin1');
  return header;
}
