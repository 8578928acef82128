import { setTimeout as sleep } from 'node:timers/promises';
import type { Operation } from '../../domain/refusals.ts';

/**
 * The failpoints of each operation, in order: the steps at which a test may kill, fail or halt a
 * process. `requested`, `numbered`, `started`, `known` and `answered` belong to the API, the others
 * to the worker; a step before a `…committed` is inside the transaction.
 */
export const failpoints = {
  generate: [
    'generate-requested',
    'generate-started',
    'generate-begun',
    'generate-committed',
    'generate-known',
    'generate-answered',
  ],
  claim: [
    'claim-requested',
    'claim-started',
    'claim-begun',
    'claim-recorded',
    'claim-committed',
    'claim-sending',
    'claim-sent',
    'claim-sent-recorded',
    'claim-confirmed',
    'claim-known',
    'claim-answered',
  ],
  redeem: [
    'redeem-requested',
    'redeem-started',
    'redeem-begun',
    'redeem-held',
    'redeem-hold-committed',
    'redeem-paying',
    'redeem-paid',
    'redeem-posted',
    'redeem-post-committed',
    'redeem-confirming',
    'redeem-confirmed',
    'redeem-known',
    'redeem-answered',
  ],
  reverse: [
    'reverse-requested',
    'reverse-started',
    'reverse-begun',
    'reverse-committed',
    'reverse-sending',
    'reverse-sent',
    'reverse-posted',
    'reverse-post-committed',
    'reverse-confirming',
    'reverse-confirmed',
    'reverse-known',
    'reverse-answered',
  ],
  topup: [
    'topup-requested',
    'topup-numbered',
    'topup-started',
    'topup-begun',
    'topup-held',
    'topup-hold-committed',
    'topup-sending',
    'topup-sent',
    'topup-ended',
    'topup-end-committed',
    'topup-known',
    'topup-answered',
  ],
  retry: [
    'retry-requested',
    'retry-recorded',
    'retry-started',
    'retry-begun',
    'retry-held',
    'retry-hold-committed',
    'retry-sending',
    'retry-sent',
    'retry-ended',
    'retry-end-committed',
    'retry-known',
    'retry-answered',
  ],
  bulk: ['bulk-begun', 'bulk-settled'],
  repair: ['repair-begun', 'repair-carried-out', 'repair-begin-committed', 'repair-end-committed'],
  outbox: ['outbox-queued', 'outbox-read', 'outbox-sending', 'outbox-sent', 'outbox-recorded'],
  archive: ['archive-written', 'archive-moved'],
} as const;

type Subject = keyof typeof failpoints;

export type FailpointName = (typeof failpoints)[Subject][number];

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
