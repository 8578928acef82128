import { createGenerations } from '../../activities/vouchers/vouchers.ts';
import { connectDatabase } from '../../src/db/connection.ts';
import type { GenerationSubject } from '../../src/db/vouchers/generation.ts';
import { credentialOf } from '../../test/admin/movements.ts';
import { giftRequest } from '../../test/db/gift-rows.ts';
import { makeMerchant } from '../../test/support/companies.ts';
import type { Bench, Benchmark, Measurement } from '../benchmark.ts';
import { compare, WARM_UP_OF_QUICK_CALLS } from '../compare.ts';
import { withDelayedStandby } from '../delayed-standby.ts';
import { makeSeller } from '../partner-calls.ts';
import { type Calls, inTurn, runLoad } from '../run-load.ts';
import { type Service, withService } from '../service.ts';

const AMOUNT = '100';
const PARTNERS = 50;
/** The least ratio by the calls in flight; few calls only show the rate. */
const BARS = { 1: undefined, 4: undefined, 16: undefined, 50: 0.95, 200: 0.95 } as const;
const STANDBY_MS = 5;
/** The least pace by the calls in flight; a single call shows what one commit takes. */
const LEAST_PACES = { 1: undefined, 50: 400 } as const;

/** P15: the statement that generates vouchers, for one partner against fifty, and with a slow standby. */
export const oneWalletBenchmark: Benchmark = {
  name: 'P15',
  run: async (bench) => {
    const paces = await withDelayedStandby(bench, STANDBY_MS, (databaseUrl) =>
      withService(bench, 'API alone', (service) => pacesWithStandby(bench, service), {
        DATABASE_URL: databaseUrl,
      }),
    );
    const rates = await withService(bench, 'API alone', (service) => ratesBySize(bench, service));
    return [...paces, ...rates];
  },
};

const sellersAt = async (service: Service, count: number): Promise<GenerationSubject[]> => {
  const merchant = { id: (await makeMerchant(service)).id };
  return Promise.all(Array.from({ length: count }, () => sellerAt(service, merchant)));
};

/** Runs work with calls that generate vouchers of the sellers, over connections as a worker has them. */
async function withCalls<Result>(
  { config }: Service,
  work: (callsOf: (sellers: readonly GenerationSubject[]) => Calls) => Promise<Result>,
): Promise<Result> {
  const { databaseUrl, databasePoolSize } = config.database;
  const database = connectDatabase(databaseUrl, { poolSize: databasePoolSize });
  const generate = createGenerations(database);
  try {
    return await work((sellers) => {
      const sellerOf = inTurn(sellers);
      return (lane) => async () => {
        const { voucherId } = await generate(giftRequest(sellerOf(lane)));
        if (voucherId === null) throw new Error('A voucher was not generated');
      };
    });
  } finally {
    await database.destroy();
  }
}

const ratesBySize = (bench: Bench, service: Service): Promise<readonly Measurement[]> =>
  withCalls(service, async (callsOf) => {
    const sellers = await sellersAt(service, PARTNERS);
    const measurements: Measurement[] = [];
    for (const [lanes, bar] of Object.entries(BARS)) {
      const title = `generation, ${lanes} in flight, one partner / ${PARTNERS}`;
      const comparison = await bench.progress.step(`P15 ${title}`, (note) =>
        compare(bench, {
          subject: callsOf(sellers.slice(0, 1)),
          baseline: callsOf(sellers),
          lanes: Number(lanes),
          warmUpCalls: measurements.length === 0 ? WARM_UP_OF_QUICK_CALLS : 0,
          note,
        }),
      );
      measurements.push({ title, comparison, bar });
    }
    return measurements;
  });

const pacesWithStandby = (
  { progress, options: { rounds, seconds }, signal }: Bench,
  service: Service,
): Promise<readonly Measurement[]> =>
  progress.step('P15 slow standby', (note) =>
    withCalls(service, async (callsOf) => {
      const calls = callsOf(await sellersAt(service, 1));
      const measurements: Measurement[] = [];
      for (const [lanes, leastPace] of Object.entries(LEAST_PACES)) {
        const paces: number[] = [];
        for (let round = 0; round <= rounds; round += 1) {
          note(round === 0 ? 'warming up' : `${lanes} in flight, round ${round} of ${rounds}`);
          const { rate } = await runLoad({ calls, lanes: Number(lanes), seconds, signal });
          if (round > 0) paces.push(rate);
        }
        const title = `generation of one partner, ${lanes} in flight, a standby confirms after ${STANDBY_MS} ms`;
        measurements.push({ title, paces, leastPace });
      }
      return measurements;
    }),
  );

/** A new partner with money, which sells gifts of the merchant. */
async function sellerAt(
  service: Service,
  merchant: GenerationSubject['merchant'],
): Promise<GenerationSubject> {
  const { id, denominations } = await makeSeller(service);
  const credential = await credentialOf(service.database, 'partner', id);
  const denominationId = denominations[AMOUNT];
  if (denominationId === undefined) throw new Error(`There is no denomination of ${AMOUNT}`);
  return { partner: { kind: 'partner', id, credential }, merchant, denominationId };
}
