import { fileURLToPath } from 'node:url';

/** Loaded by path, by the processes and by the workflow bundle alike. */
export const failureConverterPath = fileURLToPath(
  new URL('./failure-converter.cjs', import.meta.url),
);

/** Every bundle holds these, those of tests and measurements too: see their module. */
export const workflowInterceptorModules = [
  fileURLToPath(new URL('../../workflows/outsiders/refuse-outsiders.ts', import.meta.url)),
];
