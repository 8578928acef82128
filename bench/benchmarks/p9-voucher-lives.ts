import type { Bench, Benchmark, CostMeasurement, Measurement } from '../benchmark.ts';
import { compare } from '../compare.ts';
import { type CpuTimes, cpuTimesOf, type RunPart } from '../cpu/process-usage.ts';
import { type Service, type ServiceLayout, withService } from '../service.ts';
import type { Sides } from '../statistics.ts';
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

const measure = (
  bench: Bench,
  name: string,
  layout: ServiceLayout,
): Promise<readonly Measurement[]> =>
  withService(bench, layout, (subject) => {
    const title = `whole life of a voucher / bare life, ${layout}`;
    return compareLives(bench, { name, title, bar: BAR }, { subject });
  });

/** Lives of a service against those of another one, or else against bare lives. */
export const compareLives = (
  bench: Bench,
  { name, title, bar }: { readonly name: string; readonly title: string; readonly bar: number },
  { subject, baseline }: { readonly subject: Service; readonly baseline?: Service },
): Promise<readonly Measurement[]> =>
  bench.progress.step(`${name} ${title}`, async (note) => {
    const { sandboxUrl, directory } = bench.backing;
    const scene = { service: subject, sandboxUrl };
    const comparison = await compare(bench, {
      subject: await voucherLives(scene),
      baseline: baseline
        ? await voucherLives({ service: baseline, sandboxUrl })
        : await bareLives(scene),
      warmUpCalls: WARM_UP_LIVES,
      note,
      async settled() {
        await messagesSettled(subject);
        if (baseline) await messagesSettled(baseline);
      },
      readCpu: () => cpuTimesOf(directory),
    });
    await requireLives(subject, comparison.subject.completed);
    if (baseline) await requireLives(baseline, comparison.baseline.completed);
    return [{ title, comparison, bar }, ...cpuOf(comparison.cpu)];
  });

/** Where the CPU of a life goes. */
function cpuOf({ subject, baseline }: Sides<readonly CpuTimes[]>): CostMeasurement[] {
  const parts = Object.keys(subject[0] ?? {}) as RunPart[];
  const costsOf = (rounds: readonly CpuTimes[], part: RunPart) =>
    rounds.map((cpu) => cpu[part] ?? 0);
  return parts.map((part) => ({
    title: `CPU of a life: ${part}`,
    costs: { subject: costsOf(subject, part), baseline: costsOf(baseline, part) },
  }));
}
