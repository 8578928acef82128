import { freePort } from '../../src/local/processes.ts';
import type { Benchmark } from '../benchmark.ts';
import { measureCpuInTurns } from '../cpu/in-turns.ts';
import { withServices } from '../service.ts';

/** Of the CPU of generate-voucher: metrics may cost two percent. */
const GREATEST = 1.02;

/**
 * P11: what metrics cost generate-voucher, in CPU milliseconds a call over all processes: a service that
 * collects them, reads its state and is scraped after each load, against one without, in turns.
 */
export const metricsBenchmark: Benchmark = {
  name: 'P11',
  async run(bench) {
    const title = 'CPU of generate-voucher, with metrics / without';
    const port = String(await freePort());
    const sides = {
      subject: ['one process', { METRICS_PORT: port }],
      baseline: ['one process'],
    } as const;
    const { costs } = await withServices(bench, sides, (services) =>
      bench.progress.step(`P11 ${title}`, (note) =>
        measureCpuInTurns(bench, services, {
          note,
          settled: async (side) => (side === 'subject' ? scrape(port) : undefined),
        }),
      ),
    );
    return [{ title, costs, greatest: GREATEST }];
  },
};

/** @throws unless vouchers are counted */
async function scrape(port: string): Promise<void> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  if (!/http_requests_total\{[^}]*generate-voucher[^}]*\} [1-9]/.test(text))
    throw new Error('The metrics do not count vouchers');
}
