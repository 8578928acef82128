import type { Benchmark } from '../benchmark.ts';
import { compare } from '../compare.ts';
import { withService } from '../service.ts';
import { requireVouchers, voucherGeneration } from '../voucher-generation.ts';

const BAR = 0.9;

/** P2: all calls of one partner, which meet on its accounts, against those of twenty. */
export const onePartnerBenchmark: Benchmark = {
  name: 'P2',
  async run(bench) {
    const title = 'generate-voucher, one partner / twenty';
    const comparison = await withService(bench, 'one process', (service) =>
      bench.progress.step(`P2 ${title}`, async (note) => {
        const result = await compare(bench, {
          subject: await voucherGeneration(service, 1),
          baseline: await voucherGeneration(service, 20),
          note,
        });
        await requireVouchers(service, result.subject.completed + result.baseline.completed);
        return result;
      }),
    );
    return [{ title, comparison, bar: BAR }];
  },
};
