import { bareCall } from '../baselines/bare-route.ts';
import type { Bench, Benchmark, Measurement } from '../benchmark.ts';
import { compare } from '../compare.ts';
import { withService } from '../service.ts';
import { requireVouchers, voucherGeneration } from '../voucher-generation.ts';

const PARTNERS = 20;
/** By the processes of the service: workflows start eagerly only in one. */
const BARS = { 'one process': 1.5, 'two processes': 1.25 } as const;

/**
 * P1: generating a voucher, with access checks, idempotency and ledger, against a route that only
 * runs a workflow with one activity that does nothing.
 */
export const generateVoucherBenchmark: Benchmark = {
  name: 'P1',
  run: async (bench) => [await compareWithBare(bench, 'P1', 'one process')],
};

/** P1b: the same with API and worker as two processes. */
export const separateGenerateVoucherBenchmark: Benchmark = {
  name: 'P1b',
  run: async (bench) => [await compareWithBare(bench, 'P1b', 'two processes')],
};

async function compareWithBare(
  bench: Bench,
  name: string,
  layout: keyof typeof BARS,
): Promise<Measurement> {
  const title = `generate-voucher / bare workflow, ${layout}`;
  const comparison = await withService(bench, layout, (service) =>
    bench.progress.step(`${name} ${title}`, async (note) => {
      const bare = bareCall(service.url, 'bare');
      const result = await compare(bench, {
        subject: await voucherGeneration(service, PARTNERS),
        baseline: () => bare,
        note,
      });
      await requireVouchers(service, result.subject.completed);
      return result;
    }),
  );
  return { title, comparison, bar: BARS[layout] };
}
