import { allProviders, type ProviderName } from '../../src/domain/providers.ts';
import { faultAnswers, type ProviderFault } from '../../src/sandbox/faults.ts';
import { call } from '../../test/support/clients.ts';
import type { Random } from '../random.ts';
import { lasting, type MakeFault } from './fault-scene.ts';

type Answers = ProviderFault['answers'];

const wrongAnswers = (Object.keys(faultAnswers) as Answers[]).filter((one) => one !== 'normal');

/** Messages have no callback to lose that moves money, and are never reversed. */
const ofMoney: ProviderName[] = ['gsma', 'mpesa', 'dt-one', 'reloadly'];

/** In seconds, around the time limits of the calls. */
const SLOW = [1, 3, 5] as const;

/** Breaks one provider of the sandbox over HTTP, as a tester does on the page of faults, and mends it. */
const breaking =
  (make: (random: Random) => Partial<ProviderFault>, providers = allProviders): MakeFault =>
  async ({ stack, random }) => {
    const provider = random.pick(providers);
    const fault = make(random);
    await setFault(stack.services.sandboxUrl, provider, fault);
    try {
      return `${provider}: ${JSON.stringify(fault)} ${await lasting(random, 1_000, 5_000)}`;
    } finally {
      await setFault(stack.services.sandboxUrl, provider, {});
    }
  };

export const providerFaults = {
  'provider-down': breaking(() => ({ down: true })),
  'provider-slow': breaking((random) => ({ slowSeconds: random.pick(SLOW) })),
  'provider-drops-answers': breaking(() => ({ dropsAnswers: true })),
  'provider-loses-callbacks': breaking(() => ({ losesCallbacks: true })),
  'provider-reverses-later': breaking(() => ({ reversesLater: true }), ofMoney),
  'provider-answers-wrong': breaking((random) => ({ answers: random.pick(wrongAnswers) })),
};

async function setFault(
  sandboxUrl: string,
  provider: ProviderName,
  fault: Partial<ProviderFault>,
): Promise<void> {
  const { status } = await call(`${sandboxUrl}/faults/${provider}`, { method: 'PUT', body: fault });
  if (status !== 200) throw new Error(`The sandbox does not take the fault of ${provider}`);
}
