import { type Environment, readAdminConfig } from '../config/config.ts';
import { connectDatabase } from '../db/connection.ts';
import { inTimeZone } from '../pages/language/time-zone.ts';
import { createProgress, silentProgress } from '../runtime/process/progress.ts';
import type { AdminCommand, GlobalOptions, Report } from './command.ts';
import { actorOf, type SystemUser, systemUser } from './command.ts';
import type { Fields, InputOf } from './fields.ts';
import { resolveSettings } from './settings.ts';

/** The output streams of the command line, and what a test replaces of its process. */
export interface AdminIo {
  readonly out: { write(text: string): unknown };
  /** A terminal also shows the progress of long commands. */
  readonly err: { write(text: string): unknown; readonly isTTY?: boolean };
  /** The settings; by default those of the process. */
  readonly environment?: Environment;
  /** By default the user of the process. */
  readonly user?: SystemUser;
}

/** Runs a command on the database of the settings. */
export async function runCommand(
  command: AdminCommand,
  input: InputOf<Fields>,
  options: GlobalOptions,
  { err, environment, user }: AdminIo,
): Promise<Report> {
  const actor = () => actorOf(options.actor, user ?? systemUser());
  const { settings, databaseUrl, readDatabaseUrl } = await resolveSettings(
    readAdminConfig(environment),
  );
  const url = command.readsEverything ? readDatabaseUrl : databaseUrl;
  const database = connectDatabase(url, { poolSize: 1 });
  const progress = err.isTTY && !options.json ? createProgress(err) : silentProgress;
  try {
    const context = { database, actor, settings, progress };
    return await inTimeZone(settings.market.marketTimeZone, () => command.run(context, input));
  } finally {
    await database.destroy();
  }
}
