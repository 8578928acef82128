import { totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client } from '@temporalio/client';
import { readApiConfig } from '../src/config/config.ts';
import { freePort } from '../src/local/processes.ts';
import type { Stops } from '../src/local/start/stops.ts';
import type { Progress } from '../src/runtime/process/progress.ts';
import { connectBySettings } from '../src/runtime/temporal/connection.ts';
import { writeWorkflowBundle } from '../src/runtime/temporal/workflow-bundle.ts';
import {
  startThrowawayServices,
  type ThrowawayServices,
} from '../test/harness/throwaway-services.ts';
import { sandboxDelayScale } from './baselines/slow-provider.ts';
import type { Bench } from './benchmark.ts';

/** Workflows of the service and of the baselines. */
const workflowsPath = fileURLToPath(new URL('./workflows/index.ts', import.meta.url));

/** As a database server has it: a quarter of the memory. */
const sharedBuffers = `${Math.floor(totalmem() / 4 / 1024 ** 2)}MB`;

/** Runs work with a client of the run's Temporal server. */
export async function withTemporal<Result>(
  { backing }: Pick<Bench, 'backing'>,
  work: (temporal: Client) => Promise<Result>,
): Promise<Result> {
  const { client, connection } = await connectBySettings(readApiConfig({ ...backing.settings }));
  try {
    return await work(client);
  } finally {
    await connection.close();
  }
}

/** Starts what the measured processes stand on, and bundles their workflows and the baselines'. */
export async function startBacking(progress: Progress, stops: Stops): Promise<ThrowawayServices> {
  // A service whose providers are to call back listens there.
  const options = {
    name: 'bench',
    sandboxDelayScale,
    port: await freePort(),
    postgresSettings: { shared_buffers: sharedBuffers },
  };
  const services = await startThrowawayServices(options, progress, stops);
  const bundle = join(services.directory, 'workflow-bundle.js');
  await progress.step('Workflow bundle', () => writeWorkflowBundle(bundle, workflowsPath));
  return { ...services, settings: { ...services.settings, WORKFLOW_BUNDLE: bundle } };
}
