import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findTemporalBinary } from '../../src/embedded/temporal-binary.ts';
import { silentProgress } from '../../src/process/progress.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'temporal-binary-'));
});

afterEach(() => rm(directory, { recursive: true, force: true }));

async function program(path: string, says: string): Promise<string> {
  await writeFile(path, `#!/bin/sh\necho '${says}'\n`, { mode: 0o755 });
  return path;
}

test('TEMPORAL_CLI_PATH is used before all else', async () => {
  const says = 'temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)';
  const cliPath = await program(join(directory, 'mine'), says);
  await expect(findTemporalBinary({ cliPath, progress: silentProgress })).resolves.toBe(cliPath);
});

test.each([
  ['another program', 'hello', 'it is not the Temporal CLI'],
  ['too old a version', 'temporal version 0.9.0 (Server 1.20.4, UI 2.9)', 'server 1.20 is older'],
])('TEMPORAL_CLI_PATH with %s is refused, not passed over', async (_name, says, reason) => {
  const cliPath = await program(join(directory, 'mine'), says);
  const found = findTemporalBinary({ cliPath, progress: silentProgress });
  await expect(found).rejects.toThrow(`TEMPORAL_CLI_PATH (${cliPath}) cannot be used: `);
  await expect(found).rejects.toThrow(reason);
});

test('TEMPORAL_CLI_PATH with no file is refused', async () => {
  const cliPath = join(directory, 'missing');
  await expect(findTemporalBinary({ cliPath, progress: silentProgress })).rejects.toThrow('ENOENT');
});

test('what the cache folder holds is not made again', async () => {
  const cache = join(directory, 'voucher-topup-service');
  await mkdir(cache);
  const says = 'temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)';
  const cached = await program(join(cache, 'temporal-v1.5.1'), says);
  const found = await findTemporalBinary({ cacheHome: directory, progress: silentProgress });
  // One that is on PATH goes first.
  expect([cached, 'temporal']).toContain(found);
});
