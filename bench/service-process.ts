import { startApi } from '../src/api.ts';
import { type ApiConfig, readApiConfig } from '../src/config/config.ts';
import { createStops, type Stops } from '../src/local/start/stops.ts';
import { runProcess } from '../src/runtime/process/background-tasks.ts';
import { startObservation } from '../src/runtime/process/observation.ts';
import { connectBySettings } from '../src/runtime/temporal/connection.ts';
import { startWorker } from '../src/worker.ts';
import { startBareLists } from './baselines/bare-lists.ts';
import { bareRoutes } from './baselines/bare-route.ts';
import { startBareSelect } from './baselines/bare-select.ts';
import { startBareWorker } from './baselines/bare-worker.ts';
import { unsignedRoutes } from './baselines/unsigned-route.ts';

/**
 * What a process of the service is: all of it, as `npm start` runs it, or one of its halves; or the
 * baseline of its lists or of its log-in.
 */
export type ServiceRole = 'service' | 'api' | 'worker' | 'bare-lists' | 'bare-select';

/** Sent to the parent once the process takes work. */
export interface ReadyMessage {
  /** Where it answers HTTP; 0 for a worker. */
  readonly port: number;
}

async function start(role: ServiceRole, config: ApiConfig, stops: Stops) {
  if (role === 'bare-lists') return { port: await startBareLists(config, stops) };
  if (role === 'bare-select') return { port: await startBareSelect(config, stops) };
  const observation = await startObservation(config, role);
  stops.add(observation.stop);
  const { logger, metrics } = observation;
  const temporal = await connectBySettings(config);
  stops.add(() => temporal.connection.close());
  const taskQueue = config.temporal.temporalTaskQueue;
  if (role !== 'api') {
    const worker = await startWorker(config, temporal, { logger, metrics });
    stops.add(() => worker.stop());
    const bareWorker = await startBareWorker(temporal, config);
    stops.add(() => bareWorker.stop());
  }
  if (role === 'worker') return { port: 0 };
  const api = await startApi(config, temporal, {
    logger,
    metrics,
    eager: role === 'service',
    surfaces: [bareRoutes(temporal.client, taskQueue), unsignedRoutes],
  });
  stops.add(() => api.stop());
  return { port: api.port };
}

// Started by bench/service.ts with a role.
await runProcess(async () => {
  const [role] = process.argv.slice(2);
  const stops = createStops();
  try {
    const ready: ReadyMessage = await start(role as ServiceRole, readApiConfig(), stops);
    process.send?.(ready);
    return { stop: () => stops.run() };
  } catch (error) {
    await stops.run();
    throw error;
  }
});
