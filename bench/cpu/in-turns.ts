import type { Bench } from '../benchmark.ts';
import { LANES } from '../compare.ts';
import { type Calls, runLoad } from '../run-load.ts';
import type { Service } from '../service.ts';
import { type SideName, type Sides, sideNames, sidesOf } from '../statistics.ts';
import { requireVouchers, voucherGeneration } from '../voucher-generation.ts';
import { cpuMillisecondsOf } from './process-usage.ts';

const PARTNERS = 20;
const ROUNDS = 20;
const WARM_UP_CALLS = 600;

interface SideResult {
  readonly calls: Calls;
  completed: number;
  /** CPU milliseconds a call, of each round. */
  readonly costs: number[];
}

/** What generate-voucher costs two services, as CPU milliseconds a call over all processes. */
export interface CpuInTurns {
  readonly costs: Sides<readonly number[]>;
  /** The vouchers of each side. */
  readonly completed: Sides<number>;
}

/**
 * Loads two services in turns and measures the CPU of all processes meanwhile. `settle` is what
 * belongs to the cost of a load and happens after it.
 */
export async function measureCpuInTurns(
  { backing, options, signal }: Bench,
  services: Sides<Service>,
  {
    note,
    settle,
  }: {
    readonly note: (detail: string) => void;
    readonly settle: (side: SideName) => Promise<void>;
  },
): Promise<CpuInTurns> {
  const sideOf = async (service: Service): Promise<SideResult> => ({
    calls: await voucherGeneration(service, PARTNERS),
    completed: 0,
    costs: [],
  });
  const sides = {
    subject: await sideOf(services.subject),
    baseline: await sideOf(services.baseline),
  };
  const load = async (side: SideName): Promise<number> => {
    const { calls } = sides[side];
    const before = cpuMillisecondsOf(backing.directory);
    const { seconds } = options;
    const { milliseconds } = await runLoad({ calls, lanes: LANES, seconds, signal });
    await settle(side);
    sides[side].completed += milliseconds.length;
    return (cpuMillisecondsOf(backing.directory) - before) / milliseconds.length;
  };

  note('warming up');
  while (Math.min(sides.subject.completed, sides.baseline.completed) < WARM_UP_CALLS)
    for (const side of sideNames) await load(side);
  for (let round = 1; round <= ROUNDS; round += 1) {
    note(`round ${round} of ${ROUNDS}`);
    for (const side of sidesOf(round)) sides[side].costs.push(await load(side));
  }
  for (const side of sideNames) await requireVouchers(services[side], sides[side].completed);
  return {
    costs: { subject: sides.subject.costs, baseline: sides.baseline.costs },
    completed: { subject: sides.subject.completed, baseline: sides.baseline.completed },
  };
}
