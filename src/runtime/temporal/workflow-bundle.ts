import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

/** Loaded by path, by the processes and by the workflow bundle. */
export const failureConverterPath = fileURLToPath(
  new URL('./failure-converter.cjs', import.meta.url),
);

/** Every bundle contains these, including those of tests and benchmarks: see their module. */
export const workflowInterceptorModules = [
  // Before all others, so that what they do belongs to the trace, too.
  fileURLToPath(new URL('../../../workflows/interceptors/carry-trace.ts', import.meta.url)),
  // It counts what the others make of a workflow.
  fileURLToPath(new URL('../../../workflows/interceptors/count-outcomes.ts', import.meta.url)),
  fileURLToPath(new URL('../../../workflows/interceptors/refuse-outsiders.ts', import.meta.url)),
  fileURLToPath(new URL('../../../workflows/interceptors/vanished-rows.ts', import.meta.url)),
];

/** The workflows of the service. */
export const workflowsPath = fileURLToPath(new URL('../../../workflows/index.ts', import.meta.url));

/**
 * What a worker loads once and not for each workflow: all modules of workflows. They keep no state of
 * their own, which an architecture rule holds.
 */
export const preloadedModules = (workflows = workflowsPath): string[] => [
  workflows,
  ...workflowInterceptorModules,
];

/**
 * Writes workflows with all that they import into one file, which workers of the same release load
 * instead of making it at each start (`WORKFLOW_BUNDLE`).
 */
export async function writeWorkflowBundle(file: string, from = workflowsPath): Promise<void> {
  const { code } = await bundleWorkflowCode({
    logger: new DefaultLogger('WARN'),
    workflowsPath: from,
    failureConverterPath,
    workflowInterceptorModules,
    preloadModules: preloadedModules(from),
  });
  await writeFile(file, code);
}
