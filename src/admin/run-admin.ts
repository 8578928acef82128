import { CommanderError } from 'commander';
import type { AdminConfig } from '../config/config.ts';
import { connectDatabase } from '../db/connection.ts';
import { createProgress, silentProgress } from '../process/progress.ts';
import { actorOf, type SystemUser } from './actor.ts';
import { allCommands } from './all-commands.ts';
import type { AdminCommand, Report } from './command.ts';
import type { Fields, InputOf } from './fields.ts';
import { describeProblem } from './problems.ts';
import { createProgram, type GlobalOptions } from './program.ts';
import { resolveSettings } from './settings.ts';
import { verbs } from './verbs.ts';

/** The output streams and the environment of the command line. */
export interface AdminIo {
  readonly out: { write(text: string): unknown };
  /** A terminal also shows the progress of long commands. */
  readonly err: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly settings: () => AdminConfig;
  readonly user: () => SystemUser;
}

/**
 * Runs one command. Returns the exit code: 0, 1 after one line on `err` with the remedy, or 2 where
 * the books are inconsistent.
 */
export async function runAdmin(words: readonly string[], io: AdminIo): Promise<number> {
  const { out, err } = io;
  let exitCode = 0;
  const program = createProgram({
    commands: allCommands,
    verbs,
    writeOut: (output) => out.write(output),
    writeErr: (output) => err.write(output),
    async run(command, input, options) {
      const report = await runCommand(command, input, options, io);
      const document = options.json ? JSON.stringify(report.json, null, 2) : report.text;
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
    err.write(`${describeProblem(error)}\n`);
    return 1;
  }
}

async function runCommand(
  command: AdminCommand,
  input: InputOf<Fields>,
  options: GlobalOptions,
  io: AdminIo,
): Promise<Report> {
  const actor = () => actorOf(options.actor, io.user());
  const settings = await resolveSettings(io.settings());
  const { databaseUrl, readDatabaseUrl } = settings;
  const url = command.readsEverything ? readDatabaseUrl : databaseUrl;
  const database = connectDatabase(url, { poolSize: 1 });
  const { err } = io;
  const progress = err.isTTY && !options.json ? createProgress(err) : silentProgress;
  try {
    const { databaseUrl, ...parts } = settings;
    const context = { database, actor, ...parts, progress };
    return await command.run(context, input);
  } finally {
    await database.destroy();
  }
}
