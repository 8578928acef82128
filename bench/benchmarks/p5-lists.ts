import { listPaths } from '../baselines/bare-lists.ts';
import type { Bench, Benchmark, Measurement } from '../benchmark.ts';
import { startChild } from '../child-process.ts';
import { compare, WARM_UP_OF_QUICK_CALLS } from '../compare.ts';
import { addListRows } from '../list-rows.ts';
import { partnerHeaders } from '../partner-calls.ts';
import { type Calls, get, inTurn } from '../run-load.ts';
import { type Service, withServices } from '../service.ts';
import type { Sides } from '../statistics.ts';

const RATE_BAR = 0.6;
/** How many times as long the slowest calls may take in lists ten times as long. */
const GROWTH_BAR = 1.5;
const ROWS = { few: 1_000, many: 10_000 };
const PARTNERS = 4;

/** First pages of the lists of reference data, and of a category. */
const grownPaths = [
  ...listPaths.filter((path) => path !== '/topup-transactions'),
  '/merchants?q=merchantCategory.categoryName=c4ca4238a0b923820dcc509a6f75849b',
  '/product-list?q=productCategory.categoryName=PACKAGES',
];

/**
 * P5: lists of 10,000 rows against a bare Koa handler that runs the same SQL, and against the same
 * lists of 1,000 rows.
 */
export const listsBenchmark: Benchmark = {
  name: 'P5',
  run: (bench) =>
    withServices(bench, { subject: ['API alone'], baseline: ['API alone'] }, (services) =>
      measure(bench, services),
    ),
};

async function measure(
  bench: Bench,
  { subject, baseline }: Sides<Service>,
): Promise<readonly Measurement[]> {
  const few = await withRows(bench, baseline, ROWS.few);
  const many = await withRows(bench, subject, ROWS.many);
  const rates = await againstBare(bench, subject, many);
  const growth: Measurement[] = [];
  for (const path of grownPaths) {
    const title = `${path}, p99, ${ROWS.many} rows / ${ROWS.few}`;
    const comparison = await bench.progress.step(`P5 ${title}`, (note) =>
      compare(bench, {
        subject: many.callsOf(path),
        baseline: few.callsOf(path),
        note,
      }),
    );
    growth.push({
      title,
      comparison,
      quantile: 'p99',
      greatest: GROWTH_BAR,
    });
  }
  return [...rates, ...growth];
}

interface FilledService {
  readonly partnerIds: readonly number[];
  callsOf(path: string): Calls;
}

/** Fills the lists and logs the partners in; a lane stays with its partner. */
async function withRows(bench: Bench, service: Service, rows: number): Promise<FilledService> {
  const partners = await bench.progress.step(`P5 ${rows} rows in every list`, () =>
    addListRows(service, { rows, partners: PARTNERS }),
  );
  const headers = await Promise.all(partners.map((partner) => partnerHeaders(service, partner)));
  return {
    partnerIds: partners.map(({ id }) => id),
    callsOf: (path) =>
      inTurn(headers.map((one) => get(`${service.url}/api/v1/client${path}`, one))),
  };
}

async function againstBare(
  bench: Bench,
  service: Service,
  { partnerIds, callsOf }: FilledService,
): Promise<Measurement[]> {
  const bare = await startChild({
    role: 'bare-lists',
    settings: { ...bench.backing.settings, DATABASE_URL: service.config.database.databaseUrl },
  });
  try {
    const rates: Measurement[] = [];
    for (const path of listPaths) {
      const title = `${path} / bare Koa and pg`;
      const address = `http://127.0.0.1:${bare.port}${path}`;
      const comparison = await bench.progress.step(`P5 ${title}`, (note) =>
        compare(bench, {
          subject: callsOf(path),
          baseline: inTurn(partnerIds.map((id) => get(`${address}?partner=${id}`))),
          warmUpCalls: WARM_UP_OF_QUICK_CALLS,
          note,
        }),
      );
      rates.push({ title, comparison, bar: RATE_BAR });
    }
    return rates;
  } finally {
    await bare.stop();
  }
}
