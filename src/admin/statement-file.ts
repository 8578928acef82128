import { createReadStream } from 'node:fs';
import type { ProviderStatementLine } from '../domain/positions/statement-line.ts';
import { readStatementFile, StatementFileError } from '../providers/statement-files.ts';
import { AdminError } from './fields.ts';

/**
 * Works with the lines of a provider statement that an operator gives as a file; `-` is the
 * standard input.
 *
 * @throws {AdminError} where there is no such file, or it is no such statement
 */
export async function withStatementFile<Result>(
  file: string,
  options: Parameters<typeof readStatementFile>[1],
  work: (lines: AsyncIterable<ProviderStatementLine>) => Promise<Result>,
): Promise<Result> {
  const content = file === '-' ? process.stdin : createReadStream(file);
  try {
    return await work(readStatementFile(content, options));
  } catch (error) {
    if (error instanceof StatementFileError)
      throw new AdminError(`${error.message} Nothing was compared.`);
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw new AdminError(`There is no file ${file}.`);
    throw error;
  } finally {
    content.destroy();
  }
}
