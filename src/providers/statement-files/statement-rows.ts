import { parse } from 'csv-parse';

/** The file is no statement of the provider for the day. The message repeats none of it. */
export class StatementFileError extends Error {
  override readonly name = 'StatementFileError';
}

const ROW_CHARACTERS = 10_000;

/**
 * The rows of a file in CSV (RFC 4180), as cells.
 *
 * @throws {StatementFileError} for other content
 */
export async function* statementRows(
  content: AsyncIterable<Buffer | string>,
): AsyncGenerator<readonly string[]> {
  const parser = parse({
    bom: true,
    max_record_size: ROW_CHARACTERS,
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    trim: true,
  });
  const feeding = feed(readableText(content), parser);
  try {
    for await (const cells of parser) yield cells as readonly string[];
    await feeding;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (!code.includes('CSV') && !code.includes('QUOTE')) throw error;
    const separator = code.includes('CLOSING_QUOTE')
      ? ', where a quoted cell does not end with a comma: perhaps semicolons or tabs separate the columns'
      : '';
    throw new StatementFileError(`The file is not valid CSV (${code})${separator}.`);
  }
}

/** What files begin with that are no text in UTF-8. */
const otherFiles: readonly (readonly [begin: string, words: string])[] = [
  ['1f8b', 'is compressed (gzip): unpack it first'],
  ['504b0304', 'is a spreadsheet or a ZIP archive: export it as CSV'],
  ['d0cf11e0', 'is a spreadsheet: export it as CSV'],
  ['25504446', 'is a PDF: export it as CSV'],
  ['feff', 'is in UTF-16: export it as CSV in UTF-8'],
];

/** @throws {StatementFileError} where the first octets are those of another kind of file */
async function* readableText(content: AsyncIterable<Buffer | string>) {
  let isFirst = true;
  for await (const chunk of content) {
    if (isFirst) {
      const octets = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      const begin = octets.toString('hex', 0, 4);
      const [, words] = otherFiles.find(([known]) => begin.startsWith(known)) ?? [];
      if (words !== undefined) throw new StatementFileError(`The file ${words}.`);
      isFirst = false;
    }
    yield chunk;
  }
}

/** Writes no faster than rows are taken. */
async function feed(content: AsyncIterable<Buffer | string>, parser: ReturnType<typeof parse>) {
  try {
    for await (const chunk of content)
      if (!parser.write(chunk)) await new Promise((resolve) => parser.once('drain', resolve));
    parser.end();
  } catch (error) {
    parser.destroy(error instanceof Error ? error : new Error('The file cannot be read'));
  }
}
