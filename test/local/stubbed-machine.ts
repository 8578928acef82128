import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, vi } from 'vitest';
import { runProgram } from '../../src/local/processes.ts';
import { findTemporalBinary } from '../../src/local/temporal-binary.ts';
import { silentProgress } from '../../src/runtime/process/progress.ts';

export const FITTING = 'temporal version 1.9.1 (Server 1.32.0, UI 2.54.1)';
export const TOO_OLD = 'temporal version 1.8.3 (Server 1.31.9, UI 2.49.1)';

const RELEASE = 'https://github.com/temporalio/cli/releases/download/v1.9.1/';

/** The folders of one test. */
interface Machine {
  readonly home: string;
  /** Of the service's tools, in the user's cache. */
  readonly cache: string;
  readonly cachedFile: string;
  /** The whole PATH, with no more than `tar`. */
  readonly bin: string;
  /** The titles of the steps so far. */
  readonly steps: string[];
  find(): Promise<string>;
}

/**
 * Gives each test a machine of its own, which is Linux on x86-64, without a Temporal CLI, pip and
 * network.
 */
export function useStubbedMachine(): Machine {
  const machine = { home: '', cache: '', cachedFile: '', bin: '', steps: [] as string[] };
  beforeEach(async () => {
    const home = await mkdtemp(join(tmpdir(), 'temporal-binary-'));
    const cache = join(home, '.cache/voucher-topup-service');
    const bin = join(home, 'bin');
    Object.assign(machine, { home, cache, bin, steps: [] });
    machine.cachedFile = join(cache, 'temporal-v1.9.1');
    await mkdir(cache, { recursive: true });
    await mkdir(bin);
    for (const name of ['tar', 'gzip']) {
      const { output } = await runProgram('which', [name], { timeoutSeconds: 10 });
      await symlink(output, join(bin, name));
    }
    vi.stubEnv('PATH', bin);
    vi.stubEnv('HOME', home);
    beOn('linux', 'x64');
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('fetch failed')));
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
    await rm(machine.home, { recursive: true, force: true });
  });
  const step: typeof silentProgress.step = (title, work) => {
    machine.steps.push(title);
    return silentProgress.step(title, work);
  };
  return Object.assign(machine, {
    find: () => findTemporalBinary({ progress: { ...silentProgress, step } }),
  });
}

/** Pretends to be on another system. */
export function beOn(platform: NodeJS.Platform, arch: NodeJS.Architecture): void {
  vi.spyOn(process, 'platform', 'get').mockReturnValue(platform);
  vi.spyOn(process, 'arch', 'get').mockReturnValue(arch);
}

/** Writes a program that says this, or is this script. */
export async function makeProgram(
  path: string,
  says: string,
  script = `echo '${says}'`,
): Promise<string> {
  await writeFile(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path;
}

/** The archive of a release whose program says this. */
export async function archiveOf(folder: string, says: string): Promise<Buffer> {
  await makeProgram(join(folder, 'temporal'), says);
  const file = join(folder, 'archive.tar.gz');
  await runProgram('tar', ['-czf', file, '-C', folder, 'temporal'], { timeoutSeconds: 10 });
  return readFile(file);
}

/** Answers for the official download with these files; any other is not there. */
export function publish(files: Readonly<Record<string, Buffer | string>>): void {
  vi.stubGlobal('fetch', async (url: string) => {
    const file = files[url.replace(RELEASE, '')];
    return file === undefined
      ? new Response(null, { status: 404 })
      : new Response(typeof file === 'string' ? file : new Uint8Array(file));
  });
}
