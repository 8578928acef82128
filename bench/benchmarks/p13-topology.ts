import type { Bench, Benchmark, Measurement } from '../benchmark.ts';
import { type ServiceLayout, withServices } from '../service.ts';
import { compareLives } from './p9-voucher-lives.ts';

/**
 * P13: lives of vouchers by two processes of the service, each API and worker together, against an API and
 * a worker: as many processes, as in a deployment to two machines. What deploy.md recommends must not be the
 * slower one.
 */
export const topologyBenchmark: Benchmark = {
  name: 'P13',
  run: (bench) => measure(bench, 'P13', { layout: 'two services', bar: 1 }),
};

/** P13b: the same by two APIs and two workers. Four processes poll and cache more than two on the same cores. */
export const fourProcessesBenchmark: Benchmark = {
  name: 'P13b',
  run: (bench) => measure(bench, 'P13b', { layout: 'two APIs and two workers', bar: 0.8 }),
};

const measure = (
  bench: Bench,
  name: string,
  { layout, bar }: { readonly layout: ServiceLayout; readonly bar: number },
): Promise<readonly Measurement[]> => {
  const title = `whole life of a voucher, ${layout} / API and worker`;
  return withServices(bench, { subject: [layout], baseline: ['two processes'] }, (services) =>
    compareLives(bench, { name, title, bar }, services),
  );
};
