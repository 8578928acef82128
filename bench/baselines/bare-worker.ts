import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../src/config/config.ts';
import type { ProviderOutcome } from '../../src/providers/outcome.ts';
import { createMobileMoneySet, createSmsSenders } from '../../src/providers/provider-set.ts';
import type { TemporalConnection } from '../../src/runtime/temporal/connection.ts';
import { workerTuning } from '../../src/runtime/worker/main-worker.ts';
import { createWorker } from '../../src/runtime/worker/workflow-threads/create-worker.ts';
import { providerMilliseconds } from './slow-provider.ts';

function createBareActivities(config: Config) {
  const { smsProvider, mobileMoneyProvider } = config.defaultProviders;
  const smsSender = createSmsSenders(config).named(smsProvider);
  const mobileMoney = createMobileMoneySet(config).named(mobileMoneyProvider);
  return {
    doNothing: async (): Promise<void> => undefined,
    waitLikeProvider: (): Promise<void> => sleep(providerMilliseconds),
    async sendBareMessage(to: string, text: string): Promise<void> {
      requireDone(await smsSender.send({ to, text }));
    },
    async payBare(msisdn: string): Promise<void> {
      const payee = [{ key: 'msisdn', value: msisdn }] as const;
      const payment = { reference: randomUUID(), amount: '97.5', currency: 'ETB', payee };
      requireDone(await mobileMoney.pay({ ...payment, description: 'A bare life' }));
    },
  };
}

export type BareActivities = ReturnType<typeof createBareActivities>;

/** @throws unless the provider has done it */
function requireDone(outcome: ProviderOutcome): void {
  if (outcome.kind !== 'delivered') throw new Error(`The sandbox: ${JSON.stringify(outcome)}`);
}

/** The task queue of the bare workflows beside the service's own. */
export const bareTaskQueue = (serviceTaskQueue: string): string => `${serviceTaskQueue}-bare`;

/** Starts a worker for bare workflows, with the settings of the service's worker. */
export async function startBareWorker(
  temporal: TemporalConnection,
  config: Config,
): Promise<{ stop(): Promise<void> }> {
  const worker = await createWorker({
    connection: temporal.connection,
    namespace: temporal.namespace,
    dataConverter: temporal.dataConverter,
    taskQueue: bareTaskQueue(config.temporal.temporalTaskQueue),
    activities: createBareActivities(config),
    workflowBundle: { codePath: config.temporal.workflowBundle ?? '' },
    ...workerTuning(config.providerGuard),
  });
  const ended = worker.run();
  // A worker that fails leaves its calls unanswered, and the load generator reports that.
  ended.catch(() => undefined);
  return {
    async stop() {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await ended;
    },
  };
}
