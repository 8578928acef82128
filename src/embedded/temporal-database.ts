import { access, rm, writeFile } from 'node:fs/promises';

const exists = (file: string) =>
  access(file).then(
    () => true,
    () => false,
  );

/**
 * Prepares for a database file that the server may have to make. A mark beside the file says that it
 * is being made; where an earlier start left one, the server was stopped before anything could use
 * the file, and half a schema would keep it from ever starting again, so the file is deleted.
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
