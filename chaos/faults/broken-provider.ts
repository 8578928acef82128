import {
  faultAnswers,
  type ProviderFault,
  type SandboxProvider,
  sandboxProviderNames,
} from '../../src/sandbox/faults.ts';
import { call } from '../../test/support/clients.ts';
import type { Random } from '../random.ts';
import type { FaultScene } from './fault-scene.ts';
import { lasting } from './lasting.ts';

type Answers = ProviderFault['answers'];

const wrongAnswers = (Object.keys(faultAnswers) as Answers[]).filter((one) => one !== 'normal');

/** Messages have no callback to lose that moves money, and are never reversed. */
const ofMoney: readonly SandboxProvider[] = ['gsma', 'mpesa', 'dt-one', 'reloadly'];

/** What a tester sets on the page of faults, and how long it lasts, in milliseconds. */
interface Breaking {
  readonly providers: readonly SandboxProvider[];
  readonly make: (random: Random) => Partial<ProviderFault>;
}

/** In seconds, around the time limits of the calls. */
const SLOW = [1, 3, 5] as const;

export const breakings = {
  'provider-down': { providers: sandboxProviderNames, make: () => ({ down: true }) },
  'provider-slow': {
    providers: sandboxProviderNames,
    make: (random) => ({ slowSeconds: random.pick(SLOW) }),
  },
  'provider-drops-answers': {
    providers: sandboxProviderNames,
    make: () => ({ dropsAnswers: true }),
  },
  'provider-loses-callbacks': {
    providers: sandboxProviderNames,
    make: () => ({ losesCallbacks: true }),
  },
  'provider-reverses-later': { providers: ofMoney, make: () => ({ reversesLater: true }) },
  'provider-answers-wrong': {
    providers: sandboxProviderNames,
    make: (random) => ({ answers: random.pick(wrongAnswers) }),
  },
} as const satisfies Record<string, Breaking>;

/** Breaks one provider of the sandbox over HTTP, as a tester does, and mends it; says what it was. */
export async function breakProvider(
  { stack, random }: FaultScene,
  { providers, make }: Breaking,
): Promise<string> {
  const provider = random.pick(providers);
  const fault = make(random);
  await setFault(stack.services.sandboxUrl, provider, fault);
  try {
    return `${provider}: ${JSON.stringify(fault)} ${await lasting(random, 1_000, 5_000)}`;
  } finally {
    await setFault(stack.services.sandboxUrl, provider, {});
  }
}

async function setFault(
  sandboxUrl: string,
  provider: SandboxProvider,
  fault: Partial<ProviderFault>,
): Promise<void> {
  const { status } = await call(`${sandboxUrl}/faults/${provider}`, { method: 'PUT', body: fault });
  if (status !== 200) throw new Error(`The sandbox does not take the fault of ${provider}`);
}
