import {
  type AdminConfig,
  type Environment,
  readAdminConfig,
  readAdminConfigWith,
} from '../config/config.ts';
import { findLocalSettings } from '../config/local-stack.ts';
import { connectDatabase } from '../db/connection.ts';
import { inTimeZone } from '../pages/language/time-zone.ts';
import { createProgress, silentProgress } from '../runtime/process/progress.ts';
import type { AdminCommand, GlobalOptions, Report } from './command.ts';
import { actorOf, type SystemUser, systemUser } from './command.ts';
import { AdminError, type Fields, type InputOf } from './fields.ts';

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
  const settings = await resolveSettings(readAdminConfig(environment));
  const { databaseUrl, databaseReadUrl } = settings.database;
  if (databaseUrl === undefined) throw new Error('The settings name no database');
  const url = (command.readsEverything && databaseReadUrl) || databaseUrl;
  const database = connectDatabase(url, { poolSize: 1 });
  const progress = err.isTTY && !options.json ? createProgress(err) : silentProgress;
  try {
    const context = { database, actor, settings, progress };
    return await inTimeZone(settings.market.marketTimeZone, () => command.run(context, input));
  } finally {
    await database.destroy();
  }
}

/**
 * The settings with the database of DATABASE_URL. Without it, the database of `npm start` in the data folder, with
 * its secrets.
 *
 * @throws {AdminError} where there is neither
 */
async function resolveSettings(config: AdminConfig): Promise<AdminConfig> {
  if (config.database.databaseUrl !== undefined) return config;
  const { dataDir } = config.start;
  const local = await findLocalSettings(dataDir);
  if (!local)
    throw new AdminError(
      `No database is running in ${dataDir}: start the service with "npm start", or set ` +
        'DATABASE_URL to the database that it uses.',
    );
  // As `npm start` sets it for the service.
  const WEBHOOK_PRIVATE_NETWORKS = config.process.environment === 'test' ? 'on' : 'off';
  return readAdminConfigWith({ ...local, WEBHOOK_PRIVATE_NETWORKS });
}
