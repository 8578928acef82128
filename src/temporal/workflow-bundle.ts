import { fileURLToPath } from 'node:url';

/** Loaded by path, by the processes and by the workflow bundle. */
export const failureConverterPath = fileURLToPath(
  new URL('./failure-converter.cjs', import.meta.url),
);

/** Every bundle contains these, including those of tests and benchmarks: see their module. */
export const workflowInterceptorModules = [
  fileURLToPath(new URL('../../workflows/outsiders/refuse-outsiders.ts', import.meta.url)),
];
