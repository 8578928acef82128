import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { commandLine, readProcessRecord, stopProcess } from './process-identity.ts';

export interface TemporalProcess {
  readonly pid: number;
  hasEnded(): boolean;
  /** Records the current command line, which a wrapper may have changed. */
  recordCommand(): Promise<void>;
  /** SIGKILL follows SIGTERM after `graceSeconds`, by default ten. */
  stop(graceSeconds?: number): Promise<void>;
}

const GRACE_SECONDS = 10;

const pidFile = (directory: string) => join(directory, 'temporal.pid');
const logFile = (directory: string) => join(directory, 'temporal.log');

/** The last lines of the server's log. */
export async function temporalLogEnd(directory: string): Promise<string> {
  const log = await readFile(logFile(directory), 'utf8').catch(() => '');
  return `The end of ${logFile(directory)}:\n${log.trim().split('\n').slice(-10).join('\n')}`;
}

/**
 * Stops the orphaned server of a killed start. The pid file contains the server's whole command
 * line, so that no other process is mistaken for it.
 */
export async function stopOrphanedTemporal(directory: string): Promise<void> {
  const record = await readProcessRecord(pidFile(directory));
  if (record) await stopProcess(record, { graceSeconds: GRACE_SECONDS, group: true });
  await rm(pidFile(directory), { force: true });
}

/**
 * Starts the server in a separate session, since Ctrl-C must not reach it before its clients have
 * stopped, and with its output in a file, so that it does not depend on us.
 */
export async function launchTemporal(
  binary: string,
  words: readonly string[],
  directory: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<TemporalProcess> {
  // It must write nothing to the user's home and check for no updates. `sh` and `env` exec the
  // server.
  const variables = [
    ...[`HOME=${directory}`, 'TEMPORAL_VERSION_CHECK_DISABLED=1'],
    ...Object.entries(environment).map(([name, value]) => `${name}=${value}`),
  ];
  const log = openSync(logFile(directory), 'a', 0o600);
  // Its database contains every workflow, so its files are readable only by this account.
  const script = 'umask 077 && exec env "$@"';
  const child = spawn('sh', ['-c', script, 'sh', ...variables, binary, ...words], {
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  await once(child, 'spawn');
  child.unref();
  const pid = child.pid ?? 0;

  let command = [binary, ...words].join(' ');
  const record = () =>
    writeFileSync(pidFile(directory), JSON.stringify({ pid, command }), { mode: 0o600 });
  record();
  return {
    pid,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    async recordCommand() {
      command = (await commandLine(pid)) ?? command;
      record();
    },
    async stop(graceSeconds = GRACE_SECONDS) {
      await stopProcess({ pid, command }, { graceSeconds, group: true });
      await rm(pidFile(directory), { force: true });
    },
  };
}
