import { createReadStream } from 'node:fs';
import type { StatementRow } from '../providers/statement.ts';
import { readStatementFile, StatementFileError } from '../providers/statement-files.ts';
import { AdminError } from './fields.ts';

/** A file that an operator gives cannot be read; the message is the end of a sentence that begins with the option. */
class GivenFileError extends AdminError {}

/**
 * The octets of a file that an operator gives; `-` is the standard input.
 *
 * @throws {AdminError} "x.csv cannot be read", such as for a folder: the end of a sentence
 */
export async function* readGivenFile(file: string): AsyncGenerator<Buffer> {
  const content = file === '-' ? process.stdin : createReadStream(file);
  try {
    yield* content;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new GivenFileError(`${file} cannot be read (${error.code})`);
  } finally {
    content.destroy();
  }
}

/**
 * Works with the rows of a provider statement that an operator gives as a file; `-` is the
 * standard input.
 *
 * @throws {AdminError} where the file cannot be read, or is no such statement
 */
export async function withStatementFile<Result>(
  file: string,
  options: Parameters<typeof readStatementFile>[1],
  work: (rows: AsyncIterable<StatementRow>) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(readStatementFile(readGivenFile(file), options));
  } catch (error) {
    if (error instanceof StatementFileError)
      throw new AdminError(`${error.message} Nothing was compared.`);
    if (error instanceof GivenFileError)
      throw new AdminError(`The file ${error.message}. Nothing was compared.`);
    throw error;
  }
}
