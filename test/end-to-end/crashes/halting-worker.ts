import { readConfig } from '../../../src/config/config.ts';
import { runProcess } from '../../../src/runtime/process/background-tasks.ts';
import { createLogger } from '../../../src/runtime/process/logger.ts';
import { connectTemporal } from '../../../src/runtime/temporal/connection.ts';
import { temporalServerOf } from '../../../src/runtime/temporal/temporal-server.ts';
import { startWorker } from '../../../src/worker.ts';

/**
 * A worker in which everybody who comes to the step of FAILPOINT halts there, says so in a line, and goes
 * no further: it is killed when all have come.
 */
await runProcess(async () => {
  const config = readConfig();
  const [haltsAt] = (config.process.failpoint ?? '').split(':');
  const logger = createLogger(config.process.logLevel, 'worker');
  const temporal = await connectTemporal({
    ...temporalServerOf(config.temporal),
    payloadKeys: config.secrets.payloadKeys,
  });
  const worker = await startWorker(config, temporal, {
    logger,
    async failpoint(name) {
      if (name !== haltsAt) return;
      logger.info('Halted');
      await new Promise(() => {});
    },
  });
  logger.info('Worker is running');
  return worker;
});
