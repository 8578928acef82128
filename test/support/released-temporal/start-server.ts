import { randomInt } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startPostgres, withSession } from '../../../src/local/postgres.ts';
import { commandLine, runProgram } from '../../../src/local/processes.ts';
import {
  launchTemporal,
  temporalLogEnd,
  waitUntilReady,
} from '../../../src/local/temporal-server.ts';
import type { Progress } from '../../../src/runtime/process/progress.ts';
import { findReleasedTemporal, type ReleasedTemporalPrograms } from './find-programs.ts';

const configuration = fileURLToPath(new URL('../../../deploy/temporal', import.meta.url));

/** Each database of the server, with the name of its schema. */
const DATABASES = {
  temporal: 'postgresql/v12/temporal',
  temporal_visibility: 'postgresql/v12/visibility',
};
const SCHEMA_SECONDS = 60;
const STOP_SECONDS = 10;

/** The Temporal server of production, with its rows in a PostgreSQL of its own. */
export interface ReleasedTemporal {
  readonly address: string;
  /** The process ids of the server, where it runs, and of its PostgreSQL. */
  pids(): number[];
  kill(): Promise<void>;
  /** Takes everything from a server that was killed. */
  empty(): Promise<void>;
  startAgain(): Promise<void>;
  stop(): Promise<void>;
}

export interface ReleasedTemporalOptions {
  /** Holds the rows, the logs and the pid file. */
  readonly directory: string;
  /** Settings in addition to those of `deploy/temporal`. */
  readonly dynamicConfig?: Readonly<Record<string, string | number>>;
  readonly postgresSettings?: Readonly<Record<string, string>>;
  readonly progress: Progress;
}

/** Whether tests run against the Temporal server of production instead of the development server. */
export const wantsReleasedTemporal = () => process.env.TEST_TEMPORAL === 'released';

/**
 * Starts the Temporal server with the configuration of `deploy/temporal`, on an address of loopback
 * (127/8) of its own, so that its eight ports are free. It has no namespace yet.
 *
 * @throws an Error where it cannot be built or does not start
 */
export async function startReleasedTemporal(
  options: ReleasedTemporalOptions,
): Promise<ReleasedTemporal> {
  const { directory, progress } = options;
  const programs = await progress.step('Building the Temporal server, once', findReleasedTemporal);
  await mkdir(directory, { recursive: true });
  const dynamicConfigFile = join(directory, 'dynamic-config.yaml');
  await writeFile(dynamicConfigFile, await dynamicConfig(options.dynamicConfig ?? {}));
  const postgres = await startPostgres({
    dataDirectory: join(directory, 'temporal-postgres'),
    port: 0,
    ...(options.postgresSettings && { settings: options.postgresSettings }),
    progress,
  });
  const { port, password } = new URL(postgres.url);
  const database = { SQL_HOST: '127.0.0.1', SQL_PORT: port, SQL_USER: 'postgres' };
  const login = { ...database, SQL_PASSWORD: decodeURIComponent(password) };
  const ip = `127.${randomInt(1, 255)}.${randomInt(0, 256)}.${randomInt(1, 255)}`;
  const address = `${ip}:7233`;
  const environment = {
    ...login,
    BROADCAST_ADDRESS: ip,
    DYNAMIC_CONFIG_FILE: dynamicConfigFile,
  };
  const words = ['--config-file', join(configuration, 'server.yaml'), '--allow-no-auth', 'start'];
  const start = () => startServer(programs.server, words, { directory, environment, address });

  const makeDatabases = () => makeTables(programs, postgres.url, login);
  await makeDatabases();
  let server = await progress.step('Temporal server with PostgreSQL', start);
  return {
    address,
    pids: () => [...(server.hasEnded() ? [] : [server.pid]), postgres.pid],
    async kill() {
      process.kill(server.pid, 'SIGKILL');
      while ((await commandLine(server.pid)) !== undefined) await sleep(20);
    },
    empty: makeDatabases,
    async startAgain() {
      server = await start();
    },
    async stop() {
      await server.stop(STOP_SECONDS);
      await postgres.stop();
    },
  };
}

async function startServer(
  binary: string,
  words: readonly string[],
  options: {
    readonly directory: string;
    readonly environment: Readonly<Record<string, string>>;
    readonly address: string;
  },
) {
  const { directory, environment, address } = options;
  const server = await launchTemporal(binary, words, directory, environment);
  try {
    await waitUntilReady(server, address, 'temporal-system');
    await server.recordCommand();
    return server;
  } catch (error) {
    await server.stop(0);
    const end = await temporalLogEnd(directory);
    throw new Error(`The Temporal server did not start: ${(error as Error).message}\n${end}`, {
      cause: error,
    });
  }
}

/** Makes the server's databases; earlier ones are deleted. */
async function makeTables(
  { sqlTool }: ReleasedTemporalPrograms,
  url: string,
  login: Readonly<Record<string, string>>,
): Promise<void> {
  await withSession(url, async (client) => {
    for (const name of Object.keys(DATABASES)) {
      await client.query(`drop database if exists ${name} with (force)`);
      await client.query(`create database ${name}`);
    }
  });
  for (const [name, schema] of Object.entries(DATABASES))
    for (const step of [
      ['setup-schema', '--version', '0.0'],
      ['update-schema', '--schema-name', schema],
    ]) {
      const { exitCode, output } = await runProgram(sqlTool, step, {
        timeoutSeconds: SCHEMA_SECONDS,
        environment: { ...login, SQL_PLUGIN: 'postgres12', SQL_DATABASE: name },
      });
      if (exitCode !== 0) throw new Error(`${step[0]} of ${name} failed:\n${output.slice(-2_000)}`);
    }
}

/** The dynamic configuration of production, and more. */
async function dynamicConfig(more: Readonly<Record<string, string | number>>): Promise<string> {
  const lines = Object.entries(more).map(
    ([name, value]) => `${name}: [{ value: ${JSON.stringify(value)} }]\n`,
  );
  const own = await readFile(join(configuration, 'dynamic-config.yaml'), 'utf8');
  return own + lines.join('');
}
