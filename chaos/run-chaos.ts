import { setTimeout as sleep } from 'node:timers/promises';
import type { Stops } from '../src/local/start/stops.ts';
import type { Progress } from '../src/runtime/process/progress.ts';
import { unlessInterrupted } from '../test/harness/run-interruptibly.ts';
import { codeSentTo } from '../test/support/clients.ts';
import { createClientLog } from './clients/client-log.ts';
import { type Clients, runClients } from './clients/run-clients.ts';
import { createSendCall } from './clients/send-call.ts';
import { drain } from './drain.ts';
import { type MadeFault, makeFaults } from './faults/make-faults.ts';
import type { ChaosOptions } from './options.ts';
import { type Finding, findProblems } from './oracle/find-problems.ts';
import { describeShares } from './providers/provider-shares.ts';
import { createRandom } from './random.ts';
import { startReceiver } from './receiver.ts';
import type { ChaosResult } from './report.ts';
import { settlePending } from './settle-pending.ts';
import { startThrowawayStack, type ThrowawayStack, untilAnswering } from './throwaway-stack.ts';
import { makeWorld } from './world.ts';

/** What is there to look into afterwards. */
export interface ChaosRun extends ChaosResult {
  /** What the processes of the service have written. */
  readonly output: string;
}

/**
 * Runs the service with random clients and random faults, drains it, and has the oracle look. All
 * that is random comes from the seed.
 */
export async function runChaos(
  options: ChaosOptions,
  parts: { readonly progress: Progress; readonly stops: Stops; readonly signal: AbortSignal },
): Promise<ChaosRun> {
  const { progress, stops, signal } = parts;
  const stack = await startThrowawayStack(progress, stops);
  signal.throwIfAborted();
  const world = await makeWorld(stack);
  const receiver = await startReceiver(stack, world, { seed: options.seed, stops });
  const log = createClientLog();
  const send = createSendCall(stack.url, world, log);
  const clients = {
    world,
    log,
    send,
    codeOf: (msisdn: string) => codeSentTo(stack.services.sandboxUrl, msisdn),
  };

  const faults = await progress.step(`Chaos of ${options.minutes} min`, (note) =>
    work(stack, clients, options, signal, note),
  );
  receiver.calm();
  return unlessInterrupted(signal, async () => {
    const random = createRandom(options.seed, 'draining');
    const left = await progress.step('Draining', async (note) => {
      await untilAnswering(stack.url);
      return drain(stack, { world, log, send, random }, note);
    });
    const unsettled: Finding[] = left.map((fault) => ({ check: 'I8 unsettled', fault }));
    const problems = await progress.step('The oracle', () =>
      findProblems(stack, { ...clients, faults, receiver }),
    );
    return {
      seed: options.seed,
      log,
      faults,
      findings: [...unsettled, ...problems],
      shares: await describeShares(stack),
      output: `${stack.api.output()}\n${stack.worker.output()}`,
    };
  });
}

/** Lets clients, the providers' staff and the faults do what they do for so many minutes. */
async function work(
  stack: ThrowawayStack,
  clients: Clients,
  { seed, clients: count, minutes, faults: names }: ChaosOptions,
  signal: AbortSignal,
  note: (detail: string) => void,
): Promise<MadeFault[]> {
  // A timer of our own: Node 20 may collect AbortSignal.timeout() inside AbortSignal.any() before it
  // fires (nodejs/node#57736), and then chaos never ends.
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), minutes * 60_000);
  const end = AbortSignal.any([over.signal, signal]);
  const shown = setInterval(() => note(`${clients.log.entries.length} calls`), 1_000);
  try {
    const [faults] = await Promise.all([
      makeFaults(
        { stack, world: clients.world, log: clients.log, random: createRandom(seed, 'faults') },
        names,
        end,
      ),
      runClients(clients, { seed, count, until: end }),
      settlePending(stack.services.sandboxUrl, createRandom(seed, 'settling'), end),
      sleep(minutes * 60_000, undefined, { signal: end }).catch(() => undefined),
    ]);
    return faults;
  } finally {
    clearInterval(shown);
    clearTimeout(timer);
  }
}
