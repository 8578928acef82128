import { constants } from 'node:os';
import { UsageError } from './options.js';

class InterruptedError extends Error {
  override readonly name = 'InterruptedError';

  constructor(readonly signalName: 'SIGINT' | 'SIGTERM') {
    super('Interrupted');
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
 * throws, 2 for a `UsageError`, 130 or 143 after the signal that has interrupted it.
 */
export async function runInterruptibly(
  main: (signal: AbortSignal) => Promise<number>,
): Promise<never> {
  const interruption = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.on(name, () => interruption.abort(new InterruptedError(name)));
  const exitCode = await main(interruption.signal).catch((error) =>
    // Whatever fails after the interruption fails because of it.
    failed(interruption.signal.aborted ? interruption.signal.reason : error),
  );
  process.exit(exitCode);
}
