import type { Bench } from './benchmark.ts';
import { WARM_UP_LIVES } from './benchmarks/p9-voucher-lives.ts';
import { LANES } from './compare.ts';
import { runLoad, type SendBenchCall } from './run-load.ts';
import type { Service } from './service.ts';
import { lifeOf, livesInTurns, messagesSettled, voucherLives } from './voucher-lives.ts';

/** Lives of vouchers, warm, and the highest rate of them that a service reaches in this time, per second. */
export async function measureLives(
  { backing: { sandboxUrl }, signal }: Bench,
  service: Service,
  {
    seconds,
    note,
    through = (send) => send,
  }: {
    readonly seconds: number;
    readonly note: (detail: string) => void;
    /** Changes how calls are sent. */
    readonly through?: (send: SendBenchCall) => SendBenchCall;
  },
) {
  const calls = await voucherLives({ service, sandboxUrl });
  const load = {
    calls: (lane: number) => (send: SendBenchCall) => lifeOf(calls, lane)(through(send)),
    lanes: LANES,
    signal,
  };
  note('warming up');
  await runLoad({ ...load, seconds: Number.POSITIVE_INFINITY, count: WARM_UP_LIVES });
  note('measuring the highest rate');
  const { rate } = await runLoad({ ...load, seconds });
  await messagesSettled(service);
  return { send: livesInTurns(calls), rate };
}
