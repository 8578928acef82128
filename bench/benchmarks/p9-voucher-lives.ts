import type { Bench, Benchmark, Measurement, UsageMeasurement } from '../benchmark.ts';
import { type Comparison, compare } from '../compare.ts';
import { cpuTimesOf, type RunPart } from '../cpu/process-usage.ts';
import { type ServiceLayout, withService } from '../service.ts';
import { bareLives, messagesSettled, requireLives, voucherLives } from '../voucher-lives.ts';

const BAR = 0.9;
/** A life is several calls, so that fewer of them warm both sides up. */
export const WARM_UP_LIVES = 200;

/**
 * P9: complete lives of vouchers, generated, claimed with the code from the sandbox, redeemed, paid and
 * confirmed, against workflows that do the same without a database and without checks.
 */
export const voucherLivesBenchmark: Benchmark = {
  name: 'P9',
  run: (bench) => measure(bench, 'P9', 'one process'),
};

/** P9b: the same with API and worker as two processes. */
export const separateVoucherLivesBenchmark: Benchmark = {
  name: 'P9b',
  run: (bench) => measure(bench, 'P9b', 'two processes'),
};

function measure(
  bench: Bench,
  name: string,
  layout: ServiceLayout,
): Promise<readonly Measurement[]> {
  const title = `whole life of a voucher / bare life, ${layout}`;
  return withService(bench, layout, (service) =>
    bench.progress.step(`${name} ${title}`, async (note) => {
      const scene = { service, sandboxUrl: bench.backing.sandboxUrl };
      const comparison = await compare(bench, {
        subject: await voucherLives(scene),
        baseline: await bareLives(scene),
        warmUpCalls: WARM_UP_LIVES,
        note,
        settled: () => messagesSettled(service),
        readCpu: () => cpuTimesOf(bench.backing.directory),
      });
      await requireLives(service, comparison.subject.completed);
      return [{ title, comparison, bar: BAR }, ...cpuOf(comparison)];
    }),
  );
}

/** Where the CPU of a life goes. */
export function cpuOf({ cpu }: Comparison): UsageMeasurement[] {
  if (!cpu) return [];
  return (Object.keys(cpu.subject) as RunPart[]).map((part) => ({
    title: `CPU of a life: ${part}`,
    usage: { subject: cpu.subject[part] ?? 0, baseline: cpu.baseline[part] ?? 0 },
  }));
}
