import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import type { Progress } from '../process/progress.ts';
import { freePort, isListening } from './port.ts';
import { temporalArguments } from './temporal-arguments.ts';
import { beginTemporalDatabase } from './temporal-database.ts';
import {
  launchTemporal,
  stopOrphanedTemporal,
  type TemporalProcess,
  temporalLogEnd,
} from './temporal-process.ts';

export interface TemporalServerOptions {
  /** The Temporal CLI, from `findTemporalBinary`. */
  readonly binary: string;
  /** Contains the pid file, the log and, unless `inMemory`, the database `temporal.db`. */
  readonly directory: string;
  readonly inMemory?: boolean;
  /** 0 selects a free port. */
  readonly port: number;
  /** Without it there is no UI. */
  readonly uiPort?: number;
  /** The codec server of the UI. */
  readonly codecEndpoint?: string;
  /** Created in addition to `default`. */
  readonly namespaces?: readonly string[];
  /** Settings of the server in addition to the service's. */
  readonly dynamicConfig?: Readonly<Record<string, string | number>>;
  readonly progress: Progress;
}

export interface RunningTemporalServer {
  /** `host:port` of the gRPC service. */
  readonly address: string;
  readonly uiUrl: string | undefined;
  readonly pid: number;
  stop(): Promise<void>;
}

const READY_SECONDS = 60;
const LOOK_MS = 50;

/**
 * Waits until the server answers for a namespace.
 *
 * @throws an Error when the server has ended, or does not answer within a minute
 */
export async function waitUntilReady(
  server: TemporalProcess,
  address: string,
  namespace: string,
): Promise<void> {
  const deadline = Date.now() + READY_SECONDS * 1000;
  let reason: unknown;
  while (Date.now() < deadline) {
    if (server.hasEnded()) throw new Error('it ended');
    // A connection that gRPC was refused once is tried again only after a second.
    if (!(await isListening(address))) {
      await sleep(LOOK_MS);
      continue;
    }
    try {
      const connection = await Connection.connect({ address, connectTimeout: '1s' });
      try {
        await connection.withDeadline(Date.now() + 5_000, () =>
          connection.workflowService.describeNamespace({ namespace }),
        );
        return;
      } finally {
        await connection.close();
      }
    } catch (error) {
      reason = error;
      await sleep(LOOK_MS);
    }
  }
  throw new Error(`it was not ready after ${READY_SECONDS} s`, { cause: reason });
}

/**
 * Starts Temporal's development server. It survives a killed start; the next start in this folder
 * stops it and starts it again, because its settings may have changed.
 *
 * @throws when it does not start
 */
export function startTemporalServer(
  options: TemporalServerOptions,
): Promise<RunningTemporalServer> {
  return options.progress.step('Temporal server', async () => {
    const { inMemory = false, uiPort, codecEndpoint, dynamicConfig } = options;
    await mkdir(options.directory, { recursive: true });
    const directory = await realpath(options.directory);
    await stopOrphanedTemporal(directory);
    const port = options.port === 0 ? await freePort() : options.port;
    const namespaces = options.namespaces ?? [];
    const databaseFile = inMemory ? undefined : join(directory, 'temporal.db');
    const database = databaseFile && (await beginTemporalDatabase(databaseFile));
    const words = { port, uiPort, databaseFile, codecEndpoint, namespaces, dynamicConfig };
    const server = await launchTemporal(options.binary, temporalArguments(words), directory);

    const address = `127.0.0.1:${port}`;
    try {
      await waitUntilReady(server, address, namespaces.at(-1) ?? 'default');
      await server.recordCommand();
      if (database) await database.finish();
    } catch (error) {
      await server.stop(0);
      const { message } = error as Error;
      const end = await temporalLogEnd(directory);
      throw new Error(`The Temporal server did not start: ${message}\n${end}`, { cause: error });
    }
    return {
      address,
      uiUrl: uiPort === undefined ? undefined : `http://127.0.0.1:${uiPort}`,
      pid: server.pid,
      // A server in memory has nothing to save.
      stop: () => server.stop(inMemory ? 0 : undefined),
    };
  });
}
