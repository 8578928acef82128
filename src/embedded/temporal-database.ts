import { access, rm, writeFile } from 'node:fs/promises';

const exists = (file: string) =>
  access(file).then(
    () => true,
    () => false,
  );

/**
 * Prepares for a database file that the server may have to create. A marker file exists during the
 * creation. If an earlier start left the marker, its server was stopped before the file was used,
 * and an incomplete schema would prevent every start; so the file is deleted.
 *
 * @returns `finish`, to be called when the server is ready
 */
export async function beginTemporalDatabase(
  databaseFile: string,
): Promise<{ finish(): Promise<void> }> {
  const mark = `${databaseFile}.unfinished`;
  if (await exists(mark)) {
    for (const suffix of ['', '-wal', '-shm']) await rm(databaseFile + suffix, { force: true });
  }
  if (!(await exists(databaseFile))) await writeFile(mark, '', { mode: 0o600 });
  return { finish: () => rm(mark, { force: true }) };
}
