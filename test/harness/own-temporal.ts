import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { readStartConfig } from '../../src/config/config.ts';
import { commandLine, freePort } from '../../src/local/processes.ts';
import { findTemporalBinary } from '../../src/local/temporal-binary.ts';
import {
  type RunningTemporalServer,
  startTemporalServer,
} from '../../src/local/temporal-server.ts';
import { silentProgress as progress } from '../../src/runtime/process/progress.ts';
import { until } from '../support/until.ts';

/** A Temporal server of one test, which may die and come back on the same port. */
export interface OwnTemporal {
  readonly address: string;
  /** As a machine that fails: nothing is put away. */
  kill(): Promise<void>;
  /** With all that it had, or without anything. */
  startAgain(what: 'as it was' | 'empty'): Promise<void>;
  /** Stops it and deletes what it kept. */
  stop(): Promise<void>;
}

export async function startOwnTemporal(): Promise<OwnTemporal> {
  const { TEMPORAL_CLI_PATH: cliPath, XDG_CACHE_HOME: cacheHome } = readStartConfig();
  const binary = await findTemporalBinary({ cliPath, cacheHome, progress });
  const directory = await mkdtemp(join(tmpdir(), 'own-temporal-'));
  const port = await freePort();
  let lives = 1;
  const start = () =>
    startTemporalServer({ binary, directory: join(directory, `life-${lives}`), port, progress });
  let server: RunningTemporalServer = await start();
  return {
    address: server.address,
    async kill() {
      const { pid } = server;
      process.kill(pid, 'SIGKILL');
      await until(async () => expect(await commandLine(pid)).toBeUndefined());
    },
    async startAgain(what) {
      if (what === 'empty') lives += 1;
      // The port of a process that was killed may take a moment to be free.
      server = await until(start);
    },
    async stop() {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
