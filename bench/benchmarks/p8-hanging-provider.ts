import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { type CuttableWay, makeCuttableWay } from '../../test/end-to-end/faults/provider-outage.js';
import { deposit, makeMerchant, makePartner } from '../../test/support/companies.js';
import type { Bench, Benchmark, TimeMeasurement } from '../benchmark.js';
import { comparisonOf } from '../compare.js';
import { partnerHeaders } from '../partner-calls.js';
import { type ProviderStream, providerStreams } from '../provider-streams.js';
import { type Calls, type LoadResult, runLoad } from '../run-load.js';
import { type Service, withService } from '../service.js';

/** How many times as long a call may take while a provider hangs. */
const BAR = 1.2;
const LANES = 4;
/** Longer than the service waits for a provider: calls hang, and so do the questions about them. */
const LEAD_SECONDS = 12;
const DRAIN_SECONDS = 60;
/** What a steady stream has under way at any time. */
const FEW = 5;

/**
 * P8: log-in, balance and generate-voucher while a provider takes requests and answers none, against
 * the same while it answers; operations that need it keep coming all the time.
 */
export const hangingProviderBenchmark: Benchmark = {
  name: 'P8',
  async run(bench) {
    const measurements: TimeMeasurement[] = [];
    for (const stream of providerStreams) measurements.push(...(await measureOne(bench, stream)));
    const [own, ...others] = measurements;
    if (!own) throw new Error('There are no providers');
    return [own, ...others];
  },
};

async function measureOne(bench: Bench, stream: ProviderStream): Promise<TimeMeasurement[]> {
  const way = await makeCuttableWay();
  way.setTarget(bench.backing.sandboxUrl);
  const { pathname } = new URL(bench.backing.settings[stream.setting] ?? '');
  const settings = { [stream.setting]: way.url + pathname };
  try {
    return await withService(
      bench,
      'one process',
      (service) =>
        bench.progress.step(`P8 ${stream.name} hanging`, (note) =>
          measureWith(bench, { service, way, stream }, note),
        ),
      settings,
    );
  } finally {
    await way.close();
  }
}

async function measureWith(
  { options, signal }: Bench,
  { service, way, stream }: { service: Service; way: CuttableWay; stream: ProviderStream },
  note: (detail: string) => void,
): Promise<TimeMeasurement[]> {
  note('preparing');
  const calls = await measuredCalls(service);
  const flowing = await stream.start(service);
  const results = calls.map(() => ({ subject: [] as LoadResult[], baseline: [] as LoadResult[] }));
  const measure = async (side: 'subject' | 'baseline', round: number) => {
    note(`round ${round} of ${options.rounds}, ${side === 'subject' ? 'hanging' : 'answering'}`);
    if (side === 'subject') way.hang();
    await (side === 'subject' ? sleep(LEAD_SECONDS * 1_000) : untilFewUnderWay(service));
    for (const [index, { calls: kind }] of calls.entries()) {
      const { seconds } = options;
      results[index]?.[side].push(await runLoad({ calls: kind, lanes: LANES, seconds, signal }));
    }
    way.flow();
  };
  try {
    for (const { calls: kind } of calls)
      await runLoad({ calls: kind, lanes: LANES, seconds: options.seconds, signal });
    for (let round = 1; round <= options.rounds; round += 1) {
      const order = ['baseline', 'subject'] as const;
      for (const side of round % 2 === 0 ? order : order.toReversed()) await measure(side, round);
    }
  } finally {
    await flowing.stop();
  }
  await untilFewUnderWay(service);
  return calls.map(({ title }, index) => ({
    title: `p99 of ${title} while ${stream.name} hang / answer`,
    comparison: comparisonOf(results[index] ?? { subject: [], baseline: [] }),
    quantile: 'p99',
    waitedMilliseconds: 0,
    greatest: BAR,
  }));
}

/** What must stay quick; its partner has nothing to do with the stream. */
async function measuredCalls(service: Service): Promise<{ title: string; calls: Calls }[]> {
  const partner = await makePartner(service);
  await deposit(service, partner.id, '1000000000');
  const merchant = await makeMerchant(service);
  const base = `${service.url}/api/v1/client`;
  const login = { key: partner.apiKey };
  const token = await partnerHeaders(service, partner);
  const headers = { 'Content-Type': 'application/json', ...token };
  const request = (path: string, sent?: object) => () => ({
    url: base + path,
    headers,
    ...(sent === undefined ? { method: 'GET' as const, body: '' } : { body: JSON.stringify(sent) }),
  });
  return [
    { title: 'login', calls: request('/auth/login', login) },
    { title: 'balance', calls: request('/info/get-current-balance') },
    {
      title: 'generate-voucher',
      calls: request('/topup-transactions/generate-voucher', {
        denominationId: partner.denominations[100],
        merchantId: merchant.id,
        msisdn: '0911234567',
      }),
    },
  ];
}

/** What had hung is made up for before the other side is measured. */
async function untilFewUnderWay({ database }: Service): Promise<void> {
  const deadline = Date.now() + DRAIN_SECONDS * 1_000;
  for (;;) {
    const { rows } = await sql<{ left: number }>`
      select (select count(*) from redemptions where status = 'HELD')
        + (select count(*) from topup_attempts where status = 'HELD')
        + (select count(*) from messages where status in ('QUEUED', 'SENDING')) as left`.execute(
      database,
    );
    const left = rows[0]?.left ?? 0;
    if (left <= FEW) return;
    if (Date.now() > deadline) throw new Error(`${left} things are still under way`);
    await sleep(100);
  }
}
