import type { Bench } from '../benchmark.ts';
import { compare } from '../compare.ts';
import type { Service } from '../service.ts';
import { type SideName, type Sides, sideNames } from '../statistics.ts';
import { requireVouchers, voucherGeneration } from '../voucher-generation.ts';
import { cpuTimesOf, totalOf } from './process-usage.ts';

const PARTNERS = 20;
const ROUNDS = 20;

/**
 * Measures the CPU milliseconds of a call of generate-voucher over all processes, in each round of two services in
 * turns, and counts the vouchers of each. `settled` is what belongs to the cost of a load and happens after it.
 */
export async function measureCpuInTurns(
  { backing, options, signal }: Bench,
  services: Sides<Service>,
  how: {
    readonly note: (detail: string) => void;
    readonly settled: (side: SideName) => Promise<void>;
  },
) {
  const { subject, baseline, cpu } = await compare(
    { options: { ...options, rounds: ROUNDS }, signal },
    {
      ...how,
      subject: await voucherGeneration(services.subject, PARTNERS),
      baseline: await voucherGeneration(services.baseline, PARTNERS),
      readCpu: () => cpuTimesOf(backing.directory),
    },
  );
  const completed = { subject: subject.completed, baseline: baseline.completed };
  for (const side of sideNames) await requireVouchers(services[side], completed[side]);
  return {
    costs: { subject: cpu.subject.map(totalOf), baseline: cpu.baseline.map(totalOf) },
    completed,
  };
}
