import type { Benchmark } from '../benchmark.ts';
import { compare } from '../compare.ts';
import { cpuTimesOf } from '../cpu/process-cpu.ts';
import { withService } from '../service.ts';
import { messagesSettled, requireLives, voucherLives } from '../voucher-lives.ts';
import { cpuOf, WARM_UP_LIVES } from './p9-voucher-lives.ts';

/** What deploy.md recommends must not be the slower one. */
const BAR = 1;

/**
 * P13: lives of vouchers by two processes of the service, each API and worker together, against an API and
 * a worker: as many processes, as in a deployment to two machines.
 */
export const topologyBenchmark: Benchmark = {
  name: 'P13',
  run: (bench) =>
    withService(bench, 'two services', (together) =>
      withService(bench, 'two processes', (apart) => {
        const title = 'whole life of a voucher, two services / API and worker';
        return bench.progress.step(`P13 ${title}`, async (note) => {
          const { sandboxUrl, directory } = bench.backing;
          const comparison = await compare({
            subject: await voucherLives({ service: together, sandboxUrl }),
            baseline: await voucherLives({ service: apart, sandboxUrl }),
            warmUpCalls: WARM_UP_LIVES,
            settings: bench.options,
            signal: bench.signal,
            note,
            settled: async () => {
              await messagesSettled(together);
              await messagesSettled(apart);
            },
            readCpu: () => cpuTimesOf(directory),
          });
          await requireLives(together, comparison.subject.completed);
          await requireLives(apart, comparison.baseline.completed);
          return [{ title, comparison, bar: BAR }, ...cpuOf(comparison)] as const;
        });
      }),
    ),
};
