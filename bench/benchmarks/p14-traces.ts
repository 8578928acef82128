import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { closeAtOnce, listen } from '../../src/runtime/process/health.ts';
import type { Bench, Benchmark, CostMeasurement } from '../benchmark.ts';
import { measureCpuInTurns } from '../cpu/in-turns.ts';
import { withServices } from '../service.ts';

/** The spans of a load are delivered in this time, which is a part of its cost. */
const DELIVERY_MS = 300;

/**
 * P14: what traces cost generate-voucher, in CPU milliseconds a call over all processes: a service that
 * sends them to a collector against one without, in turns. The collector is in this process, whose CPU does
 * not count.
 */
export const tracesBenchmark: Benchmark = {
  name: 'P14',
  run: async (bench) => [
    await costOf(bench, 'of every call', {}),
    await costOf(bench, 'of one call in a hundred', {
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.01',
    }),
  ],
};

async function costOf(
  bench: Bench,
  which: string,
  sampler: Readonly<Record<string, string>>,
): Promise<CostMeasurement> {
  const title = `CPU of generate-voucher, with traces ${which} / without`;
  const collector = await startCollector();
  const traces = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: String(DELIVERY_MS / 2),
    ...sampler,
  };
  const sides = { subject: ['one process', traces], baseline: ['one process'] } as const;
  try {
    const { costs } = await withServices(bench, sides, (services) =>
      bench.progress.step(`P14 ${title}`, (note) =>
        // What runs meanwhile for nobody costs both sides the same.
        measureCpuInTurns(bench, services, { note, settled: () => sleep(DELIVERY_MS) }),
      ),
    );
    if (!collector.hasVouchers()) throw new Error('The traces have no vouchers');
    return { title, costs };
  } finally {
    await collector.stop();
  }
}

/** A collector that takes everything. */
async function startCollector() {
  let hasVouchers = false;
  const server = createServer(async (request, response) => {
    const spans = await text(request);
    hasVouchers ||= spans.includes('generate-voucher');
    response.setHeader('Content-Type', 'application/json').end('{}');
  });
  const port = await listen(server, { host: '127.0.0.1', port: 0 }, () => {});
  return {
    url: `http://127.0.0.1:${port}`,
    hasVouchers: () => hasVouchers,
    stop: () => closeAtOnce(server),
  };
}
