import { pathToFileURL } from 'node:url';

/** Resolves at the first SIGTERM or SIGINT; further ones are ignored while the process stops. */
export const untilTerminated = (): Promise<NodeJS.Signals> =>
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

/** Runs a process to its end: `start`, until a signal comes, then `stop`. */
export const runProcess = (start: () => Promise<{ stop(): Promise<void> }>): Promise<never> =>
  runToEnd(async () => {
    const terminated = untilTerminated();
    const running = await start();
    await terminated;
    await running.stop();
  });

/** What a person can mend is said without a stack. */
const FOR_PEOPLE = [
  'ConfigError',
  'PortUnavailableError',
  'DataDirectoryInUseError',
  'DatabaseUnreachableError',
  'TemporalUnreachableError',
];

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return FOR_PEOPLE.includes(error.name) ? error.message : (error.stack ?? error.message);
}
