import { createGenerations } from '../../activities/vouchers/vouchers.ts';
import { connectDatabase } from '../../src/db/connection.ts';
import type { GenerationSubject } from '../../src/db/vouchers/generation.ts';
import { credentialOf } from '../../test/admin/movements.ts';
import { giftRequest } from '../../test/db/gift-rows.ts';
import { deposit, makeMerchant, makePartner } from '../../test/support/companies.ts';
import type { Bench, Benchmark, Measurement } from '../benchmark.ts';
import { compare, WARM_UP_OF_QUICK_CALLS } from '../compare.ts';
import { type Calls, runLoad } from '../run-load.ts';
import { type Service, withService } from '../service.ts';

const AMOUNT = '100';
const WALLET = '1000000000';
const PARTNERS = 50;
/** The least ratio by the calls in flight; few calls only show the rate. */
const BARS = { 1: undefined, 4: undefined, 16: undefined, 50: 0.95, 200: 0.95 } as const;
/** A commit takes as long as with a standby that confirms after 5 ms; one voucher a commit would be 200 a second. */
const SLOW_COMMITS = '-c commit_delay=5000 -c commit_siblings=0';
const LEAST_PACE = 400;
const LANES_OF_PACE = 50;

/** P15: the statement that generates vouchers, for one partner against fifty, and where each commit is slow. */
export const oneWalletBenchmark: Benchmark = {
  name: 'P15',
  run: (bench) =>
    withService(bench, 'API alone', async (service) => {
      const merchant = { id: (await makeMerchant(service)).id };
      const sellers = await Promise.all(
        Array.from({ length: PARTNERS }, () => sellerAt(service, merchant)),
      );
      return [
        await slowCommits(bench, service, sellers),
        ...(await ratesBySize(bench, service, sellers)),
      ];
    }),
};

/** Runs work with calls that generate vouchers of the sellers, over connections as a worker has them. */
async function withCalls<Result>(
  { config }: Service,
  /** Settings of PostgreSQL for its sessions. */
  sessions: string,
  work: (callsOf: (sellers: readonly GenerationSubject[]) => Calls) => Promise<Result>,
): Promise<Result> {
  const { databaseUrl, databasePoolSize } = config.database;
  const url = new URL(databaseUrl);
  if (sessions !== '') url.searchParams.set('options', sessions);
  const database = connectDatabase(url.href, { poolSize: databasePoolSize });
  const generate = createGenerations(database);
  try {
    return await work((sellers) => (lane) => async () => {
      const seller = sellers[lane % sellers.length];
      if (!seller) throw new RangeError('There are no sellers');
      const { voucherId } = await generate(giftRequest(seller));
      if (voucherId === null) throw new Error('A voucher was not generated');
    });
  } finally {
    await database.destroy();
  }
}

const ratesBySize = (
  bench: Bench,
  service: Service,
  sellers: readonly GenerationSubject[],
): Promise<readonly Measurement[]> =>
  withCalls(service, '', async (callsOf) => {
    const measurements: Measurement[] = [];
    for (const [lanes, bar] of Object.entries(BARS)) {
      const title = `generation, ${lanes} in flight, one partner / ${PARTNERS}`;
      const comparison = await bench.progress.step(`P15 ${title}`, (note) =>
        compare({
          subject: callsOf(sellers.slice(0, 1)),
          baseline: callsOf(sellers),
          lanes: Number(lanes),
          warmUpCalls: measurements.length === 0 ? WARM_UP_OF_QUICK_CALLS : 0,
          settings: bench.options,
          signal: bench.signal,
          note,
        }),
      );
      measurements.push({ title, comparison, ...(bar === undefined ? {} : { bar }) });
    }
    return measurements;
  });

const slowCommits = (
  { progress, options: { rounds, seconds }, signal }: Bench,
  service: Service,
  sellers: readonly GenerationSubject[],
): Promise<Measurement> =>
  progress.step('P15 slow commits', (note) =>
    withCalls(service, SLOW_COMMITS, async (callsOf) => {
      const calls = callsOf(sellers.slice(0, 1));
      const paces: number[] = [];
      for (let round = 0; round <= rounds; round += 1) {
        note(round === 0 ? 'warming up' : `round ${round} of ${rounds}`);
        const { rate } = await runLoad({ calls, lanes: LANES_OF_PACE, seconds, signal });
        if (round > 0) paces.push(rate);
      }
      const title = `generation of one partner, ${LANES_OF_PACE} in flight, each commit 5 ms slower`;
      return { title, paces, leastPace: LEAST_PACE };
    }),
  );

/** A new partner with money, which sells gifts of the merchant. */
async function sellerAt(
  service: Service,
  merchant: GenerationSubject['merchant'],
): Promise<GenerationSubject> {
  const { id, denominations } = await makePartner(service);
  await deposit(service, id, WALLET);
  const credential = await credentialOf(service.database, 'partner', id);
  const denominationId = denominations[AMOUNT];
  if (denominationId === undefined) throw new Error(`There is no denomination of ${AMOUNT}`);
  return { partner: { kind: 'partner', id, credential }, merchant, denominationId };
}
