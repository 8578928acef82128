import { readMigrationConfig } from './config/config.ts';
import { migrateToLatest } from './db/migrate.ts';
import { runToEnd } from './runtime/process/background-tasks.ts';
import { createLogger, installTemporalRuntime } from './runtime/process/logger.ts';
import { prepareTemporal } from './runtime/temporal/schedules.ts';
import { temporalServerOf } from './runtime/temporal/temporal-server.ts';

// Updates the database and Temporal's namespace for the other processes, and exits.
await runToEnd(async () => {
  const config = readMigrationConfig();
  const logger = createLogger(config.process.logLevel, 'migrate');
  installTemporalRuntime(logger);
  const left = await migrateToLatest(config.database.databaseUrl);
  if (left.length > 0)
    logger.warn(
      { run: left.join(' ') },
      'The roles of the processes are missing: run this as an administrator, then migrate again',
    );
  await prepareTemporal(temporalServerOf(config.temporal));
  logger.info('Database and Temporal are up to date');
});
