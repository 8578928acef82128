import { makePartner } from '../../test/support/companies.ts';
import type { Bench, Benchmark } from '../benchmark.ts';
import { startChild } from '../child-process.ts';
import { compare, LANES, WARM_UP_OF_QUICK_CALLS } from '../compare.ts';
import type { BenchCall } from '../run-load.ts';
import { type Service, withService } from '../service.ts';

const PARTNERS = 20;
const RATE_BAR = 0.5;
const P99_BAR = 3;

/**
 * P3: log-in, with all that lets a caller in or keeps it out, and a signed token at the end, against
 * a Koa POST that finds one row by an index. Both ask for the same keys.
 */
export const loginBenchmark: Benchmark = {
  name: 'P3',
  run: (bench) => withService(bench, 'one process', (service) => compareLogin(bench, service)),
};

async function compareLogin(bench: Bench, service: Service) {
  const title = 'log-in / Koa with one SELECT';
  const { backing, progress, options, signal } = bench;
  const baseline = await startChild({
    role: 'bare-select',
    settings: { ...backing.settings, DATABASE_URL: service.config.database.databaseUrl },
  });
  try {
    const calls = await makeCalls(service, `http://127.0.0.1:${baseline.port}`);
    const ofLane = (side: 'login' | 'select') => (lane: number) => {
      const call = calls[lane % calls.length]?.[side];
      if (!call) throw new RangeError('There are no partners');
      return call;
    };
    const comparison = await progress.step(`P3 ${title}`, (note) =>
      compare({
        subject: ofLane('login'),
        baseline: ofLane('select'),
        settings: options,
        warmUpCalls: WARM_UP_OF_QUICK_CALLS,
        signal,
        note,
      }),
    );
    const p99 = { title: `p99, ${LANES} in flight`, comparison, quantile: 'p99' } as const;
    return [
      { title, comparison, bar: RATE_BAR },
      { ...p99, waitedMilliseconds: 0, greatest: P99_BAR },
    ] as const;
  } finally {
    await baseline.stop();
  }
}

const makeCalls = (
  service: Service,
  baselineUrl: string,
): Promise<Readonly<Record<'login' | 'select', BenchCall>>[]> =>
  Promise.all(
    Array.from({ length: PARTNERS }, async () => {
      const { apiKey } = await makePartner(service);
      const keyDigest = service.digests.apiKey(apiKey).toString('base64');
      const headers = { 'Content-Type': 'application/json' };
      return {
        login: {
          url: `${service.url}/api/v1/client/auth/login`,
          headers,
          body: JSON.stringify({ key: apiKey }),
        },
        select: { url: baselineUrl, headers, body: JSON.stringify({ keyDigest }) },
      };
    }),
  );
