import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const CLIENT = fileURLToPath(new URL('../../../clients/typescript/', import.meta.url));

/**
 * Reads the folder of the TypeScript client's programs and types. The build of the image has compiled them;
 * a process that runs from sources compiles them itself, so that they are never older than their sources.
 */
export async function readCompiledClient<Read>(read: (folder: string) => Read): Promise<Read> {
  if (!import.meta.url.endsWith('.ts')) return read(join(CLIENT, 'dist'));
  const folder = await mkdtemp(join(tmpdir(), 'voucher-topup-client-'));
  try {
    const compiler = fileURLToPath(import.meta.resolve('typescript/package.json'));
    const program = join(compiler, '../bin/tsc');
    await promisify(execFile)(process.execPath, [program, '-p', CLIENT, '--outDir', folder]);
    return read(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
