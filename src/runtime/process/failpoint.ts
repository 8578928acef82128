import { setTimeout as sleep } from 'node:timers/promises';
import type { Operation } from '../../domain/refusals.ts';

/**
 * The steps at which a test may kill, fail or halt a process, in the order of an
 * operation. `requested`, `numbered`, `started`, `known` and `answered` belong to the API, the others
 * to the worker; a step before a `…committed` is inside the transaction.
 */
const steps = {
  generate: ['requested', 'started', 'begun', 'committed', 'known', 'answered'],
  claim: [
    ...(['requested', 'started', 'begun', 'recorded', 'committed', 'sending', 'sent'] as const),
    ...(['sent-recorded', 'confirmed', 'known', 'answered'] as const),
  ],
  redeem: [
    ...(['requested', 'started', 'begun', 'held', 'hold-committed', 'paying', 'paid'] as const),
    ...(['posted', 'post-committed', 'confirming', 'confirmed', 'known', 'answered'] as const),
  ],
  reverse: [
    ...(['requested', 'started', 'begun', 'committed', 'sending', 'sent', 'posted'] as const),
    ...(['post-committed', 'confirming', 'confirmed', 'known', 'answered'] as const),
  ],
  topup: [
    ...([
      'requested',
      'numbered',
      'started',
      'begun',
      'held',
      'hold-committed',
      'sending',
    ] as const),
    ...(['sent', 'ended', 'end-committed', 'known', 'answered'] as const),
  ],
  retry: [
    ...(['requested', 'recorded', 'started', 'begun', 'held', 'hold-committed'] as const),
    ...(['sending', 'sent', 'ended', 'end-committed', 'known', 'answered'] as const),
  ],
  bulk: ['begun', 'settled'],
  repair: ['begun', 'carried-out', 'begin-committed', 'end-committed'],
  outbox: ['queued', 'read', 'sending', 'sent', 'recorded'],
  archive: ['written', 'moved'],
} as const;

type Subject = keyof typeof steps;

export type FailpointName = {
  [Name in Subject]: `${Name}-${(typeof steps)[Name][number]}`;
}[Subject];

const namesOf = (subject: Subject) =>
  steps[subject].map((step) => `${subject}-${step}` as FailpointName);

/** The failpoints of each operation, in order. */
export const failpoints: Readonly<Record<Subject, readonly FailpointName[]>> = {
  generate: namesOf('generate'),
  claim: namesOf('claim'),
  redeem: namesOf('redeem'),
  reverse: namesOf('reverse'),
  topup: namesOf('topup'),
  retry: namesOf('retry'),
  bulk: namesOf('bulk'),
  repair: namesOf('repair'),
  outbox: namesOf('outbox'),
  archive: namesOf('archive'),
};

/** Called at each step; has an effect only in a process with a failpoint. */
export type Failpoint = (name: FailpointName) => Promise<void> | undefined;

const DELAY_MS = 1_000;

const actions: Readonly<Record<string, (name: FailpointName) => Promise<void>>> = {
  async kill() {
    process.kill(process.pid, 'SIGKILL');
    // The signal is on its way; nothing may happen in between.
    await new Promise(() => {});
  },
  async throw(name) {
    throw new Error(`The failpoint ${name} was reached`);
  },
  hang: () => new Promise(() => {}),
  delay: () => sleep(DELAY_MS),
};

/** Parses `redeem-paid:throw`; a name alone kills. Undefined for an unknown step or action. */
function readFailpoint(setting: string) {
  const [given, action = 'kill'] = setting.split(':');
  const name = Object.values(failpoints)
    .flat()
    .find((one) => one === given);
  const act = actions[action];
  return name && act && { name, act };
}

/** Whether a setting names a step and, after a colon, an action. */
export const isFailpoint = (setting: string): boolean => readFailpoint(setting) !== undefined;

/** Acts when this process first reaches the named step. */
export function createFailpoint(setting: string | undefined): Failpoint {
  const armed = setting === undefined ? undefined : readFailpoint(setting);
  if (!armed) return () => undefined;
  let isArmed = true;
  return (name) => {
    if (!isArmed || name !== armed.name) return undefined;
    isArmed = false;
    return armed.act(name);
  };
}

const subjects: Partial<
  Record<Operation, Exclude<Subject, 'bulk' | 'repair' | 'outbox' | 'archive'>>
> = {
  'generate-voucher': 'generate',
  'initiate-claim': 'claim',
  'redeem-gift': 'redeem',
  'reverse-redemption': 'reverse',
  'airtime-topup': 'topup',
  'airtime-package-topup': 'topup',
  'retry-topup': 'retry',
};

/** Reports a step that all operations on money have in the API. */
export function passStep(
  failpoint: Failpoint,
  operation: Operation,
  step: 'requested' | 'known' | 'answered',
): Promise<void> | undefined {
  const subject = subjects[operation];
  return subject && failpoint(`${subject}-${step}`);
}
