import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Logger } from 'pino';

export type BackgroundTasks = ReturnType<typeof createBackgroundTasks>;

/**
 * Work without a waiting caller, until the process stops.
 *
 * @param mayRun whether new work may begin
 */
export function createBackgroundTasks(mayRun: () => boolean) {
  const underWay = new Set<Promise<unknown>>();
  return {
    /** Runs it, unless this is no time for it. A failure is ignored: the caller has a second way. */
    run(task: () => Promise<unknown>): void {
      if (!mayRun()) return;
      const running = task()
        .catch(() => undefined)
        .finally(() => underWay.delete(running));
      underWay.add(running);
    },
    /** Settles when nothing is under way. */
    async settled(): Promise<void> {
      await Promise.all(underWay);
    },
  };
}

const PAUSE_MS = 500;

/**
 * Repeats an attempt while it fails for a reason that passes by itself, such as a server that is
 * starting.
 *
 * @throws the last error once the time is up, and any other error at once
 */
export async function retryPassing<Result>(
  attempt: () => Promise<Result>,
  options: { readonly isPassing: (error: unknown) => boolean; readonly patienceMs: number },
): Promise<Result> {
  const endsAt = performance.now() + options.patienceMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!options.isPassing(error) || performance.now() > endsAt) throw error;
    }
    await pause(PAUSE_MS);
  }
}

/** Resolves at the first SIGTERM or SIGINT; further signals are ignored while the process stops. */
const untilTerminated = (): Promise<NodeJS.Signals> =>
  new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, resolve);
  });

/** Whether a module is the entry point of Node.js. */
export const isMainModule = (moduleUrl: string): boolean =>
  process.argv[1] !== undefined && moduleUrl === pathToFileURL(process.argv[1]).href;

/** Runs work that ends by itself, and exits with 0, or with 1 and the error's text. */
export async function runToEnd(work: () => Promise<void>): Promise<never> {
  try {
    await work();
    process.exit(0);
  } catch (error) {
    process.stderr.write(`${failureText(error)}\n`);
    process.exit(1);
  }
}

interface RunningProcess {
  /** Tells when the process begins to stop, and that it has stopped: a killed process tells neither. */
  readonly logger?: Pick<Logger, 'info'>;
  stop(): Promise<void>;
  /** Rejects with the error of a part that ended by itself although it must not. */
  readonly ended?: Promise<unknown>;
}

/** A failed process may not stop cleanly; it is ended after this time. */
const STOP_LIMIT_MS = 35_000;

/**
 * Runs a process: `start`, then `stop` after a signal. If a part ends by itself, the process stops
 * the rest and exits with 1, so that its supervisor restarts it.
 */
export const runProcess = (start: () => Promise<RunningProcess>): Promise<never> =>
  runToEnd(async () => {
    const terminated = untilTerminated().then(() => undefined);
    const running = await start();
    const failure = await Promise.race([terminated, failureOf(running)]);
    if (failure !== undefined) setTimeout(() => process.exit(1), STOP_LIMIT_MS).unref();
    running.logger?.info('The process stops');
    // A failed process may fail again while it stops; report the first failure.
    await running.stop().catch((error: unknown) => {
      if (failure === undefined) throw error;
    });
    if (failure !== undefined) throw failure;
    running.logger?.info('The process has stopped');
  });

async function failureOf({ ended }: RunningProcess): Promise<Error> {
  if (ended === undefined) return new Promise(() => {});
  try {
    await ended;
    return new Error('A part of the process ended by itself');
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Errors that a person can fix are printed without a stack. */
const FOR_PEOPLE = [
  'ConfigError',
  'PlaceTakenError',
  'DatabaseUnreachableError',
  'MigrationBlockedError',
  'OtherReleaseError',
  'TemporalUnreachableError',
];

/**
 * What a process says of the error that ends it. The causes are told as well: Temporal's client says
 * only there what the server has answered.
 */
export function failureText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (FOR_PEOPLE.includes(error.name)) return error.message;
  // The message names the address and why the system refuses it.
  if ('syscall' in error && error.syscall === 'listen')
    return `The port cannot be had: ${error.message}`;
  const text = error.stack ?? error.message;
  return error.cause === undefined ? text : `${text}\nCaused by: ${failureText(error.cause)}`;
}
