import { readMigrationConfig } from './config/config.js';
import { migrateToLatest } from './db/migrate.js';
import { createLogger, installTemporalRuntime } from './process/logger.js';
import { runToEnd } from './process/termination.js';
import { prepareTemporal } from './temporal/prepare.js';
import { temporalServerOf } from './temporal/temporal-server.js';

// Updates the database and Temporal's namespace for the other processes, and exits.
await runToEnd(async () => {
  const config = readMigrationConfig();
  const logger = createLogger(config.LOG_LEVEL, 'migrate');
  installTemporalRuntime(logger);
  const left = await migrateToLatest(config.DATABASE_URL);
  if (left.length > 0)
    logger.warn(
      { run: left.join(' ') },
      'The roles of the processes are missing: run this as an administrator, then migrate again',
    );
  await prepareTemporal(temporalServerOf(config));
  logger.info('Database and Temporal are up to date');
});
