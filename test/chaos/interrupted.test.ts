import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startChaosProcess } from './chaos-process.ts';

const PATIENCE = { timeout: 180_000, interval: 100 };

/** A run whose servers have their files below a folder of its own. */
async function startRun(minutes: number) {
  const directory = await mkdtemp(join(tmpdir(), 'chaos-interrupted-'));
  const options = ['--minutes', String(minutes), '--clients', '8', '--faults', 'none'];
  const chaos = startChaosProcess([...options, '--seed', '18'], { TMPDIR: directory });
  onTestFinished(async () => {
    chaos.interrupt('SIGTERM');
    await chaos.ended;
    await rm(directory, { recursive: true, force: true });
  });
  return { chaos, directory };
}

/** The processes whose command line names the folder: PostgreSQL and Temporal do. */
async function serversOf(directory: string): Promise<string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => ''));
  return (await Promise.all(lines)).filter((line) => line.includes(directory));
}

test.runIf(process.platform === 'linux')(
  'a run that is interrupted while it drains stops its servers at once',
  async () => {
    const { chaos, directory } = await startRun(0.1);
    await expect.poll(chaos.output, PATIENCE).toContain('✓ Chaos of');
    expect(await serversOf(directory)).not.toEqual([]);
    chaos.interrupt('SIGINT');
    expect(await chaos.ended, chaos.output()).toBe(130);
    expect(await serversOf(directory)).toEqual([]);
    // The loader of TypeScript leaves its own.
    expect((await readdir(directory)).filter((name) => name.includes('chaos'))).toEqual([]);
  },
  300_000,
);

test.runIf(process.platform === 'linux')(
  'a run whose output nobody reads any more stops its servers',
  async () => {
    const { chaos, directory } = await startRun(5);
    await expect.poll(chaos.output, PATIENCE).toContain('✓ API and worker');
    chaos.stdout.destroy();
    expect(await chaos.ended).toBe(141);
    expect(await serversOf(directory)).toEqual([]);
  },
  300_000,
);
