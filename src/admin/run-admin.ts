import { CommanderError } from 'commander';
import { allCommands } from './all-commands.ts';
import { createProgram } from './program.ts';
import type { AdminIo } from './run-command.ts';

/**
 * Runs one command. Returns the exit code: 0, 1 after one line on `err` with the remedy, or 2 where
 * it has found something wrong, such as in the books.
 */
export async function runAdmin(words: readonly string[], io: AdminIo): Promise<number> {
  const { out, err } = io;
  let exitCode = 0;
  const program = createProgram({
    commands: allCommands,
    writeOut: (output) => out.write(output),
    writeErr: (output) => err.write(output),
    async prepare() {
      const { readAdminConfig } = await import('../config/config.ts');
      const { addMobilePrefixes } = await import('../domain/phone.ts');
      addMobilePrefixes(readAdminConfig(io.environment).market.mobilePrefixes);
    },
    async run(command, input, options) {
      const { runCommand } = await import('./run-command.ts');
      const { masked } = await import('./tables.ts');
      const report = await runCommand(command, input, options, io);
      const document = options.json
        ? JSON.stringify(report.json, (_, value) => masked(value), 2)
        : report.text;
      out.write(`${document}\n`);
      exitCode = report.exitCode ?? 0;
    },
  });
  try {
    await program.parseAsync(words, { from: 'user' });
    return exitCode;
  } catch (error) {
    // commander has printed the requested help.
    if (error instanceof CommanderError && error.message === '(outputHelp)') return error.exitCode;
    const { describeProblem } = await import('./problems.ts');
    err.write(`${describeProblem(error)}\n`);
    return 1;
  }
}
