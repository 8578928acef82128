import { sql } from 'kysely';
import { formatMoney, parseMoney } from '../../src/domain/money.ts';
import type { BooksRow } from '../../src/sandbox/requests.ts';
import { call } from '../../test/support/clients.ts';
import { bareCall } from '../baselines/bare-route.ts';
import { providerMilliseconds, slowNumber } from '../baselines/slow-provider.ts';
import type { Bench, Benchmark, Measurement, TimeMeasurement } from '../benchmark.ts';
import { type Comparison, compare, LANES } from '../compare.ts';
import { partnerCalls, prepareTopups } from '../partner-calls.ts';
import type { Calls } from '../run-load.ts';
import { type Service, withService } from '../service.ts';

const RATE_BAR = 0.6;
/** How many times as long the service may take as the bare workflow, the provider's time aside. */
const TIME_BARS = { p50: 2, p99: 3 } as const;

const PARTNERS = 20;
const AMOUNT = '50';

/** One call at a time makes few in the usual length of a measurement, and a p99 needs hundreds. */
const ONE_AT_A_TIME_SECONDS_FACTOR = 3;

/**
 * P7: topping airtime up at a provider that takes its time, against a route that only runs a
 * workflow with one activity that takes as long.
 */
export const topupBenchmark: Benchmark = {
  name: 'P7',
  run: (bench) => withService(bench, 'one process', (service) => measure(bench, service)),
};

async function measure(bench: Bench, service: Service): Promise<readonly Measurement[]> {
  const title = 'airtime-topup / bare workflow as slow';
  const { options, progress } = bench;
  const slowBareCall = bareCall(service.url, 'bareSlow');
  const sides = { subject: await airtimeTopups(service), baseline: () => slowBareCall };
  const many = await progress.step(`P7 ${title}, ${LANES} in flight`, (note) =>
    compare(bench, { ...sides, note }),
  );
  const longer = { ...options, seconds: options.seconds * ONE_AT_A_TIME_SECONDS_FACTOR };
  const one = await progress.step(`P7 ${title}, one at a time`, (note) =>
    compare({ ...bench, options: longer }, { ...sides, note, lanes: 1, warmUpCalls: 0 }),
  );
  await requireTopups(service, bench.backing.sandboxUrl, {
    completed: many.subject.completed + one.subject.completed,
  });
  return [
    { title: `${title}, ${LANES} in flight`, comparison: many, bar: RATE_BAR },
    ...timesOf(many, `${LANES} in flight`),
    ...timesOf(one, 'one at a time'),
  ];
}

/** The response times without the provider's, which the baseline's activity takes as well. */
const timesOf = (comparison: Comparison, load: string): TimeMeasurement[] =>
  (['p50', 'p99'] as const).map((quantile) => ({
    title: `${quantile} beyond the provider's ${providerMilliseconds} ms, ${load}`,
    comparison,
    quantile,
    waitedMilliseconds: providerMilliseconds,
    greatest: TIME_BARS[quantile],
  }));

const airtimeTopups = (service: Service): Promise<Calls> =>
  partnerCalls(service, {
    partners: PARTNERS,
    path: '/topup-transactions/airtime-topup',
    // "Accepted and processing" is a success, too.
    isDone: (data) => (data as { readonly status?: string }).status === 'SUCCESS',
    prepare: (partner) =>
      prepareTopups(service, partner, { amount: Number(AMOUNT), msisdn: slowNumber }),
  });

/** How many top-ups there are, and what they are worth together. */
interface Total {
  readonly count: number;
  /** Decimal string in ETB. */
  readonly sum: string;
}

/**
 * Checks that the service's database and the sandbox's books know as many successful top-ups as were
 * answered, of the same value, and no others.
 *
 * @throws when one of them differs
 */
async function requireTopups(
  service: Service,
  sandboxUrl: string,
  { completed }: { readonly completed: number },
): Promise<void> {
  const expected = { count: completed, sum: formatMoney(parseMoney(AMOUNT) * BigInt(completed)) };
  const { rows } = await sql<Total & { others: number }>`
    select count(*) filter (where status = 'SUCCESS') as count,
      coalesce(sum(amount) filter (where status = 'SUCCESS'), 0)::text as sum,
      count(*) filter (where status <> 'SUCCESS') as others
    from topups`.execute(service.database);
  const [found] = rows;
  const { body } = await call(`${sandboxUrl}/books`);
  const books: readonly BooksRow[] = body.topups;
  const delivered = books.filter(({ status }) => status === 'completed');
  const sum = delivered.reduce((total, { amount }) => total + parseMoney(amount), 0n);
  const agrees = (total: Total | undefined) =>
    total?.count === expected.count && parseMoney(total.sum) === parseMoney(expected.sum);
  if (
    found?.others === 0 &&
    delivered.length === books.length &&
    agrees(found) &&
    agrees({ count: delivered.length, sum: formatMoney(sum) })
  )
    return;
  throw new Error(
    `${completed} top-ups of ${AMOUNT} were answered, but there are ${JSON.stringify(found)}, and ` +
      `the provider delivered ${delivered.length} of ${books.length}, together ${formatMoney(sum)}`,
  );
}
