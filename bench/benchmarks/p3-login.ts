import { makePartner } from '../../test/support/companies.ts';
import type { Bench, Benchmark, Measurement } from '../benchmark.ts';
import { startChild } from '../child-process.ts';
import { compare, LANES, WARM_UP_OF_QUICK_CALLS } from '../compare.ts';
import { type BenchCall, inTurn, post } from '../run-load.ts';
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

async function compareLogin(bench: Bench, service: Service): Promise<readonly Measurement[]> {
  const title = 'log-in / Koa with one SELECT';
  const { backing, progress } = bench;
  const baseline = await startChild({
    role: 'bare-select',
    settings: { ...backing.settings, DATABASE_URL: service.config.database.databaseUrl },
  });
  try {
    const calls = await makeCalls(service, `http://127.0.0.1:${baseline.port}`);
    const comparison = await progress.step(`P3 ${title}`, (note) =>
      compare(bench, {
        subject: inTurn(calls.map(({ login }) => login)),
        baseline: inTurn(calls.map(({ select }) => select)),
        warmUpCalls: WARM_UP_OF_QUICK_CALLS,
        note,
      }),
    );
    return [
      { title, comparison, bar: RATE_BAR },
      {
        title: `p99, ${LANES} in flight`,
        comparison,
        quantile: 'p99',
        greatest: P99_BAR,
      },
    ];
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
      return {
        login: post(`${service.url}/api/v1/client/auth/login`, { key: apiKey }),
        select: post(baselineUrl, { keyDigest }),
      };
    }),
  );
