import { constants } from 'node:os';
import { UsageError } from './command-line.ts';

class InterruptedError extends Error {
  override readonly name = 'InterruptedError';

  readonly signalName: 'SIGINT' | 'SIGTERM' | 'SIGPIPE';

  constructor(signalName: 'SIGINT' | 'SIGTERM' | 'SIGPIPE') {
    super('Interrupted');
    this.signalName = signalName;
  }
}

/** What is told when the run failed, and the exit code. */
function failed(error: unknown): number {
  if (error instanceof InterruptedError) {
    process.stderr.write('Interrupted: everything was stopped\n');
    return 128 + constants.signals[error.signalName];
  }
  if (error instanceof UsageError) {
    process.stderr.write(`${error.message}\n`);
    return 2;
  }
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  return 1;
}

/**
 * Runs a command to its end and ends the process with the exit code that it returns: 1 when it
 * throws, 2 for a `UsageError`, 130 or 143 after the signal that has interrupted it, 141 where nobody reads
 * its output.
 */
export async function runInterruptibly(
  main: (signal: AbortSignal) => Promise<number>,
): Promise<never> {
  const interruption = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.on(name, () => interruption.abort(new InterruptedError(name)));
  // Nobody reads any more: a process that died of this would leave its servers running.
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', () => interruption.abort(new InterruptedError('SIGPIPE')));
  const exitCode = await main(interruption.signal).catch((error) =>
    // Whatever fails after the interruption fails because of it.
    failed(interruption.signal.aborted ? interruption.signal.reason : error),
  );
  process.exit(exitCode);
}

/**
 * The result of work that only waits and looks: an interruption does not wait for its end.
 *
 * @throws the signal's reason after an interruption
 */
export function unlessInterrupted<Result>(
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    work().then(resolve, reject);
  });
}
