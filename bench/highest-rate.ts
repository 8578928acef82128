import type { Bench } from './benchmark.ts';
import { WARM_UP_LIVES } from './benchmarks/p9-voucher-lives.ts';
import { LANES } from './compare.ts';
import { runLoad } from './run-load.ts';
import type { Service } from './service.ts';
import { messagesSettled, voucherLives } from './voucher-lives.ts';

/** Lives of vouchers, warm, and the highest rate of them that a service reaches, per second. */
export async function measureLives(
  { backing: { sandboxUrl }, options: { rounds, seconds }, signal }: Bench,
  service: Service,
  note: (detail: string) => void,
) {
  const calls = await voucherLives({ service, sandboxUrl });
  const load = { calls, lanes: LANES, signal };
  note('warming up');
  await runLoad({ ...load, seconds: Number.POSITIVE_INFINITY, count: WARM_UP_LIVES });
  note('measuring the highest rate');
  const { rate } = await runLoad({ ...load, seconds: rounds * seconds });
  await messagesSettled(service);
  return { calls, rate };
}
