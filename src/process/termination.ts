import { pathToFileURL } from 'node:url';

/** Resolves at the first SIGTERM or SIGINT; further ones are ignored while the process stops. */
const untilTerminated = (): Promise<NodeJS.Signals> =>
  new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, resolve);
  });

/** Whether a module is what Node.js was told to run. */
export const isMainModule = (moduleUrl: string): boolean =>
  process.argv[1] !== undefined && moduleUrl === pathToFileURL(process.argv[1]).href;

/** Runs work that ends by itself, and ends the process with it: 0, or 1 and the error's text. */
export async function runToEnd(work: () => Promise<void>): Promise<never> {
  try {
    await work();
    process.exit(0);
  } catch (error) {
    process.stderr.write(`${describe(error)}\n`);
    process.exit(1);
  }
}

export interface RunningProcess {
  stop(): Promise<void>;
  /** Settles only where a part that must not end has ended by itself, with its error. */
  readonly ended?: Promise<unknown>;
}

/** What failed may not stop in good order; its process is ended after this long. */
const STOP_LIMIT_MS = 35_000;

/**
 * Runs a process to its end: `start`, until a signal comes, then `stop`. Where a part of it ends by
 * itself, the rest is stopped, too, and the process ends with 1: what runs it starts another one.
 */
export const runProcess = (start: () => Promise<RunningProcess>): Promise<never> =>
  runToEnd(async () => {
    const terminated = untilTerminated().then(() => undefined);
    const running = await start();
    const failure = await Promise.race([terminated, failureOf(running)]);
    if (failure !== undefined) setTimeout(() => process.exit(1), STOP_LIMIT_MS).unref();
    // What failed may fail once more while it is stopped; the first failure is the one to tell.
    await running.stop().catch((error: unknown) => {
      if (failure === undefined) throw error;
    });
    if (failure !== undefined) throw failure;
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

/** What a person can mend is said without a stack. */
const FOR_PEOPLE = [
  'ConfigError',
  'PortUnavailableError',
  'DataDirectoryInUseError',
  'DatabaseUnreachableError',
  'MigrationBlockedError',
  'TemporalUnreachableError',
];

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return FOR_PEOPLE.includes(error.name) ? error.message : (error.stack ?? error.message);
}
