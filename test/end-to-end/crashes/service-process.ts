import { startApi } from '../../../src/api.js';
import { readApiConfig } from '../../../src/config/config.js';
import { createLogger, installTemporalRuntime } from '../../../src/process/logger.js';
import { runProcess } from '../../../src/process/termination.js';
import { connectTemporal } from '../../../src/temporal/connection.js';
import { startWorker } from '../../../src/worker.js';

// Worker and API in one process, as `npm start` has them; the bundle of the workflows is made once
// for all tests, because making it takes longer than everything else of a start.
await runProcess(async () => {
  const [codePath = ''] = process.argv.slice(2);
  const config = readApiConfig();
  const logger = createLogger(config.LOG_LEVEL, 'service');
  installTemporalRuntime(logger);
  const temporal = await connectTemporal({
    address: config.TEMPORAL_ADDRESS,
    namespace: config.TEMPORAL_NAMESPACE,
    payloadKeys: config.PAYLOAD_KEYS,
  });
  const worker = await startWorker(config, temporal, { logger, workflowBundle: { codePath } });
  const api = await startApi(config, temporal, { logger, eager: true });
  logger.info({ port: api.port }, 'Service is running');
  return {
    ended: worker.ended,
    async stop() {
      await api.stop();
      await worker.stop();
      await temporal.connection.close();
    },
  };
});
