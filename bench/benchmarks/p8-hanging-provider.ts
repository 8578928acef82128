import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { type CuttableWay, makeCuttableWay } from '../../test/end-to-end/faults/provider-outage.ts';
import { makeMerchant } from '../../test/support/companies.ts';
import type { Bench, Benchmark, Measurement } from '../benchmark.ts';
import { comparisonOf, p99 } from '../compare.ts';
import { cpuTimesOf, totalOf } from '../cpu/process-usage.ts';
import { makeSeller, partnerHeaders } from '../partner-calls.ts';
import { operationsOf, type ProviderStream, providerStreams } from '../provider-streams.ts';
import { get, type LoadResult, post, type SendBenchCall } from '../run-load.ts';
import { runSteadily } from '../run-steadily.ts';
import { type Service, withService } from '../service.ts';
import { type SideName, type Sides, sidesOf } from '../statistics.ts';

/** How many times as long a call may take while a provider hangs. */
const BAR = 1.2;
/** Calls that cost little: the more there are of them, the less chance decides their slowest hundredth. */
const QUICK_PER_SECOND = 25;
/** Operations that need the provider which hangs. */
const PER_SECOND = 4;
/** By then they have taken all places at the provider. */
const LEAD_SECONDS = 3;
/** A measurement begins with full places, and lasts until the circuit breaker is open and tries again. */
const LENGTH = 8;
const WARM_UP_SECONDS = 8;
const DRAIN_SECONDS = 90;
/** What a steady stream has under way at any time. */
const FEW = 5;

const SETTINGS = {
  // In proportion to that rate: a provider that hangs is full within seconds.
  PROVIDER_CALLS: '10',
  // An outage ends sooner, and the breaker tries in the middle of one.
  PROVIDER_BREAKER_SECONDS: '5',
};

/**
 * P8: what has nothing to do with a provider that takes requests and answers none, against the same
 * while it answers: log-in, balance, generate-voucher, and operations of the same kind by another
 * provider. All calls come at steady rates that leave the machine idle half of the time, because what is measured
 * is whether others are waited for, and not how much the machine can do.
 */
export const hangingProviderBenchmark: Benchmark = {
  name: 'P8',
  async run(bench) {
    const measurements: Measurement[] = [];
    for (const stream of providerStreams) measurements.push(...(await measureOne(bench, stream)));
    return measurements;
  },
};

async function measureOne(bench: Bench, stream: ProviderStream): Promise<Measurement[]> {
  const { settings, sandboxUrl, startConfig } = bench.backing;
  const { name, first } = stream;
  const way = await makeCuttableWay();
  way.setTarget(sandboxUrl);
  const { pathname } = new URL(settings[first.setting] ?? '');
  const changes = {
    ...SETTINGS,
    // Where the providers call back.
    PORT: String(startConfig.PORT),
    [first.setting]: way.url + pathname,
  };
  try {
    return await withService(
      bench,
      'one process',
      (service) =>
        bench.progress.step(`P8 ${name} by ${first.name} hanging`, (note) =>
          measureWith(bench, { service, way, stream }, note),
        ),
      changes,
    );
  } finally {
    await way.close();
  }
}

async function measureWith(
  { backing, options, signal }: Bench,
  { service, way, stream }: { service: Service; way: CuttableWay; stream: ProviderStream },
  note: (detail: string) => void,
): Promise<Measurement[]> {
  note('preparing');
  const calls = await measuredCalls(service, stream);
  const results = calls.map((): Sides<LoadResult[]> => ({ subject: [], baseline: [] }));
  const cpu: Sides<number[]> = { subject: [], baseline: [] };
  const seconds = options.seconds * LENGTH;
  const run = (length: number) =>
    Promise.all(calls.map((call) => runSteadily({ ...call, seconds: length, signal })));
  const measure = async (side: SideName, round: number) => {
    note(`round ${round} of ${options.rounds}, ${side === 'subject' ? 'hanging' : 'answering'}`);
    await untilFewUnderWay(service);
    if (side === 'subject') {
      way.hang();
      await sleep(LEAD_SECONDS * 1_000);
    }
    const before = cpuMilliseconds(backing.directory);
    for (const [index, result] of (await run(seconds)).entries())
      results[index]?.[side].push(result);
    cpu[side].push((cpuMilliseconds(backing.directory) - before) / seconds);
    if (side === 'subject') way.flow();
  };
  const flowing = keepSending(await operationsOf(service, stream));
  try {
    await run(WARM_UP_SECONDS);
    for (let round = 1; round <= options.rounds; round += 1)
      for (const side of sidesOf(round)) await measure(side, round);
  } finally {
    way.flow();
    await flowing.stop();
  }
  await untilFewUnderWay(service);
  const sides = `while ${stream.name} by ${stream.first.name} hang / answer`;
  const times = calls.map(({ title }, index): Measurement => {
    const { subject, baseline } = results[index] ?? { subject: [], baseline: [] };
    return {
      title: `p99 of ${title} ${sides}`,
      comparison: comparisonOf({ subject, baseline }),
      quantile: 'p99',
      greatest: BAR,
      rounds: { subject: subject.map(p99), baseline: baseline.map(p99) },
    };
  });
  return [...times, { title: `CPU milliseconds a second ${sides}`, costs: cpu }];
}

/** Of all processes, and of this one: it makes the load, and is the providers. */
function cpuMilliseconds(directory: string): number {
  const { user, system } = process.cpuUsage();
  return totalOf(cpuTimesOf(directory)) + (user + system) / 1_000;
}

interface MeasuredCall {
  readonly title: string;
  readonly perSecond: number;
  readonly send: (send: SendBenchCall) => Promise<unknown>;
}

/** What must stay quick; its partners have nothing to do with the stream. */
async function measuredCalls(service: Service, stream: ProviderStream): Promise<MeasuredCall[]> {
  const partner = await makeSeller(service);
  const merchant = await makeMerchant(service);
  const headers = await partnerHeaders(service, partner);
  const request = (path: string, content?: object) => {
    const url = `${service.url}/api/v1/client${path}`;
    const call = content ? post(url, content, headers) : get(url, headers);
    return (send: SendBenchCall) => send(call);
  };
  const { name, second } = stream;
  return [
    {
      title: 'login',
      perSecond: QUICK_PER_SECOND,
      send: request('/auth/login', { key: partner.apiKey }),
    },
    { title: 'balance', perSecond: QUICK_PER_SECOND, send: request('/info/get-current-balance') },
    {
      title: 'generate-voucher',
      perSecond: 5,
      send: request('/topup-transactions/generate-voucher', {
        denominationId: partner.denominations[100],
        merchantId: merchant.id,
        msisdn: '0911234567',
      }),
    },
    {
      title: `${name} by ${second.name}`,
      perSecond: 4,
      send: await operationsOf(service, stream, second.provider),
    },
  ];
}

/** Sends at a steady rate, whatever becomes of the answers; `stop` waits for those still to come. */
function keepSending(send: () => Promise<unknown>) {
  const ending = new AbortController();
  const running = runSteadily({
    send: () => send().catch(() => undefined),
    perSecond: PER_SECOND,
    seconds: Number.POSITIVE_INFINITY,
    signal: ending.signal,
  });
  return {
    async stop() {
      ending.abort();
      await running;
    },
  };
}

/** What had hung is made up for before anything else is measured. */
async function untilFewUnderWay({ database }: Service): Promise<void> {
  const deadline = Date.now() + DRAIN_SECONDS * 1_000;
  for (;;) {
    const { rows } = await sql<{ left: number }>`
      select (select count(*) from redemptions where status = 'HELD')
        + (select count(*) from topup_attempts where status = 'HELD')
        + (select count(*) from messages where status in ('QUEUED', 'SENDING')) as left`.execute(
      database,
    );
    const left = Number(rows[0]?.left ?? 0);
    if (left <= FEW) return;
    if (Date.now() > deadline) throw new Error(`${left} things are still under way`);
    await sleep(100);
  }
}
