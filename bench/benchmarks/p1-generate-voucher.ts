import { bareCall } from '../baselines/bare-route.js';
import type { Bench, Benchmark, Measurement } from '../benchmark.js';
import { compare } from '../compare.js';
import { type Service, withService } from '../service.js';
import { requireVouchers, voucherGeneration } from '../voucher-generation.js';

const PARTNERS = 20;
const BAR = 1.5;

/**
 * P1: generating a voucher, with access checks, idempotency and ledger, against a route that only
 * runs a workflow with one activity that does nothing.
 */
export const generateVoucherBenchmark: Benchmark = {
  name: 'P1',
  async run(bench) {
    const title = 'generate-voucher / bare workflow';
    const together = await withService(bench, 'one process', (service) =>
      compareWithBare(bench, service, title),
    );
    const apart = await withService(bench, 'two processes', (service) =>
      compareWithBare(bench, service, `${title}, two processes`),
    );
    return [{ ...together, bar: BAR }, apart];
  },
};

const compareWithBare = (bench: Bench, service: Service, title: string): Promise<Measurement> =>
  bench.progress.step(`P1 ${title}`, async (note) => {
    const bare = bareCall(service.url, 'bare');
    const comparison = await compare({
      subject: await voucherGeneration(service, PARTNERS),
      baseline: () => bare,
      settings: bench.options,
      signal: bench.signal,
      note,
    });
    await requireVouchers(service, comparison.subject.completed);
    return { title, comparison };
  });
