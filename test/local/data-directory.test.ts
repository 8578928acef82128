import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { claimDataDirectory, DataDirectoryInUseError } from '../../src/local/data-directory.ts';
import { commandLine } from '../../src/local/processes.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'data-directory-'));
});

afterEach(() => rm(directory, { recursive: true, force: true }));

/** Leaves a claim such as another start would have made. */
const leaveClaim = (claim: unknown) =>
  writeFile(
    join(directory, 'start.pid'),
    typeof claim === 'string' ? claim : JSON.stringify(claim),
  );

test('a folder of a running start is refused', async () => {
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  await once(other, 'spawn');
  const pid = other.pid ?? 0;
  await leaveClaim({ pid, command: await commandLine(pid) });
  const claim = claimDataDirectory(directory);
  await expect(claim).rejects.toThrow(DataDirectoryInUseError);
  await expect(claim).rejects.toThrow(`Process ${pid} already uses`);

  other.kill('SIGKILL');
  await once(other, 'exit');
  await expect(claimDataDirectory(directory)).resolves.toBeTypeOf('function');
});

test.each([
  ['whose number another process has now', { pid: process.ppid, command: 'node src/start.ts' }],
  ['that is empty', ''],
  ['that is not JSON', '{"pid":'],
])('a claim %s is void', async (_name, claim) => {
  await leaveClaim(claim);
  await expect(claimDataDirectory(directory)).resolves.toBeTypeOf('function');
});

test('a claim that was given back can be taken again', async () => {
  const release = await claimDataDirectory(join(directory, 'made', 'on', 'demand'));
  await release();
  await claimDataDirectory(join(directory, 'made', 'on', 'demand'));
});

test('no other account can read the folder or what lies in it, also from before', async () => {
  const data = join(directory, 'data');
  await mkdir(join(data, 'postgres'), { recursive: true, mode: 0o755 });
  const elsewhere = join(directory, 'elsewhere');
  const files = {
    'temporal.db': 0o644,
    'secrets.json': 0o600,
    'run.sh': 0o755,
    'temporal.log': 0o664,
  };
  await writeFile(elsewhere, '');
  await chmod(elsewhere, 0o644);
  for (const [name, mode] of Object.entries(files)) {
    await writeFile(join(data, name), '');
    await chmod(join(data, name), mode);
  }
  await symlink(elsewhere, join(data, 'link'));
  await claimDataDirectory(data);
  const modeOf = async (...path: string[]) => (await stat(join(directory, ...path))).mode & 0o777;
  // As root others may enter, because PostgreSQL runs as another account.
  expect(await modeOf('data')).toBe(process.getuid?.() === 0 ? 0o711 : 0o700);
  expect(await modeOf('data', 'postgres')).toBe(0o700);
  expect(await modeOf('data', 'temporal.db')).toBe(0o600);
  expect(await modeOf('data', 'secrets.json')).toBe(0o600);
  expect(await modeOf('data', 'run.sh')).toBe(0o700);
  expect(await modeOf('data', 'temporal.log')).toBe(0o600);
  expect(await modeOf('data', 'start.pid')).toBe(0o600);
  expect(await modeOf('elsewhere')).toBe(0o644);
});
