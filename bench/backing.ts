import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import type { Progress } from '../src/process/progress.js';
import type { Stops } from '../src/start/stops.js';
import {
  failureConverterPath,
  workflowInterceptorModules,
} from '../src/temporal/workflow-bundle.js';
import { sandboxDelayScale } from './baselines/slow-provider.js';
import { startThrowawayServices, type ThrowawayServices } from './throwaway-services.js';

/** What the measured processes stand on. */
export interface Backing extends ThrowawayServices {
  /** Workflows of the service and of the baselines. */
  readonly workflowBundlePath: string;
}

/** Starts the servers and makes the bundle of the workflows. */
export async function startBacking(progress: Progress, stops: Stops): Promise<Backing> {
  const options = { name: 'bench', sandboxDelayScale };
  const services = await startThrowawayServices(options, progress, stops);
  const workflowBundlePath = join(services.directory, 'workflow-bundle.js');
  await progress.step('Workflow bundle', () => bundleWorkflows(workflowBundlePath));
  return { ...services, workflowBundlePath };
}

async function bundleWorkflows(file: string): Promise<void> {
  const { code } = await bundleWorkflowCode({
    logger: new DefaultLogger('WARN'),
    workflowsPath: fileURLToPath(new URL('./workflows/index.ts', import.meta.url)),
    failureConverterPath,
    workflowInterceptorModules,
  });
  await writeFile(file, code);
}
