import { findBrokenInvariants } from '../../test/support/broken-invariants.ts';
import type { ClientLog } from '../clients/client-log.ts';
import type { SendCall } from '../clients/send-call.ts';
import type { FaultName } from '../faults/faults.ts';
import type { MadeFault } from '../faults/make-faults.ts';
import type { ChaosReceiver } from '../receiver.ts';
import type { ThrowawayStack } from '../throwaway-stack.ts';
import type { World } from '../world.ts';
import { checkAnswers } from './answers.ts';
import { compareBooks } from './books.ts';
import { readOrderedLines } from './bulk-orders.ts';
import { compareEffects } from './effects.ts';
import { compareEvents } from './events.ts';
import { compareMessages } from './messages.ts';
import { compareWallets } from './wallets.ts';
import { findWorkflows } from './workflows.ts';

/** Faults that turn the reconciliation red until they are undone: that is what it is for. */
const ALARMING: readonly FaultName[] = [
  'short-reserve',
  'reverse-delivery',
  'deliver-late',
  'provider-reverses-later',
];

/** What was wrong, one line each, with what it was found by. */
export interface Finding {
  readonly check: string;
  readonly fault: string;
}

/**
 * The oracle: the ledger by itself, and the five books (the clients' log, the database, the
 * providers', the log of events, what receivers of webhooks accepted) against each other. Everything must have been drained before.
 */
export async function findProblems(
  stack: ThrowawayStack,
  parts: {
    readonly world: World;
    readonly log: ClientLog;
    readonly send: SendCall;
    readonly faults: readonly MadeFault[];
    readonly receiver: ChaosReceiver;
  },
): Promise<Finding[]> {
  const { red, restored, alarms } = await findWorkflows(stack);
  const mayAlarm = parts.faults.some(({ name }) => ALARMING.includes(name));
  const mayMissRows = parts.faults.some(({ name }) => name === 'forget-redemption');
  const lines = await readOrderedLines(parts.log, parts.send);
  const checks: Readonly<Record<string, string[]>> = {
    'I1–I5, I10 the ledger': await findBrokenInvariants(stack.database),
    'I6 the providers’ books': await compareBooks(stack.database, stack.services.sandboxUrl),
    'I6 messages': await compareMessages(stack.database, stack.services.sandboxUrl),
    'I7 the clients’ log': await compareEffects(stack, parts.log, lines),
    'I7 the wallets': await compareWallets(stack, { ...parts, lines }),
    'I16, I17 the log of events': await compareEvents(stack, parts),
    'I8 workflows': [...red, ...(mayMissRows ? [] : restored), ...(mayAlarm ? [] : alarms)].map(
      (id) => `workflow ${id} is red in the Temporal UI`,
    ),
    'I9, I15 answers': checkAnswers(parts.log),
    processes: [...stack.api.ownEnds, ...stack.worker.ownEnds],
  };
  return Object.entries(checks).flatMap(([check, found]) =>
    found.map((fault) => ({ check, fault })),
  );
}
