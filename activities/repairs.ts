import { type Database, type DatabaseTransaction, violates } from '../src/db/connection.ts';
import { balanceConstraint } from '../src/db/ledger/ledger.ts';
import { lockOperation } from '../src/db/operations.ts';
import { heldAttempts, heldRedemptions, pendingReversals } from '../src/db/reconciliation.ts';
import { bookedEnd } from '../src/db/repairs/facts.ts';
import { findRepair, settledByHand } from '../src/db/repairs/repair-lists.ts';
import {
  askForConfirmation,
  endRepair as end,
  lockAsker,
  lockRepair,
  type RepairRow,
  runRepair,
} from '../src/db/repairs/repairs.ts';
import { endedClaim } from '../src/db/vouchers/claims.ts';
import { isStaffActor } from '../src/domain/access.ts';
import { formatAmount, formatMoney, parseMoney } from '../src/domain/money.ts';
import type { OperationOutcome, Refusal } from '../src/domain/refusals.ts';
import { type RepairState, refusedCallWords } from '../src/domain/repairs.ts';
import type { ProviderInquiry } from '../src/providers/outcome.ts';
import { ASK_SIGNED_IN, whySecondPerson } from '../src/repairs/ask-repair.ts';
import {
  argumentsOf,
  HAS_CHANGED,
  type Judgement,
  type RepairContext,
} from '../src/repairs/repair-kind.ts';
import { findRepairKind } from '../src/repairs/repair-kinds.ts';
import type { RepairCall, RepairName, RetryCall, TopupMade } from '../workflows/contracts.ts';
import { definiteRefusal } from './database-step.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { resumeAttempt, resumePayment, resumeReversal } from './reconciliation.ts';

/** A repair that needs nothing more, with texts for support staff. */
export interface RepairEnded {
  readonly kind: 'ended';
  readonly state: RepairState;
  /** The result of the repair, or what to do instead; null while it waits for a second person. */
  readonly result: string | null;
  /** The repair and its subject, for people. */
  readonly label: string;
  /** The workflow of a claim that ended with it. */
  readonly endedClaimWorkflow?: string;
}

/** A repair that its workflow goes on with. */
interface RepairRunning {
  readonly kind: 'running';
  readonly label: string;
  readonly call: RepairCall;
}

/** The result of the call of a repair. */
export interface RepairOutcome {
  readonly isDone: boolean;
  readonly words: string;
}

export function createRepairActivities(dependencies: ActivityDependencies) {
  const { database, failpoint } = dependencies;

  /**
   * Carries a repair out in one transaction with its row and the audit log, or answers what its workflow
   * does next. It judges everything again: confirmation, subject and amount. Idempotent.
   */
  async function beginRepair(name: RepairName): Promise<RepairEnded | RepairRunning> {
    try {
      const begun = await database
        .transaction()
        .execute((transaction) => beginOrEnd(transaction, name, dependencies));
      await failpoint('repair-begin-committed');
      return begun;
    } catch (error) {
      const result = refusalAfter(error);
      return refuseBegun(name, error, result);
    }
  }

  /** Ends a repair that the database refused; a repair that has begun goes on. */
  const refuseBegun = (name: RepairName, error: unknown, result: string): Promise<RepairEnded> =>
    database.transaction().execute(async (transaction) => {
      const row = await lockRepair(transaction, name);
      // An earlier attempt has begun the repair, and its operation goes on.
      if (row.state === 'RUNNING') throw error;
      return endedOf(await end(transaction, row.id, { state: 'REFUSED', result }));
    });

  /** Ends a repair with the result of its call. Idempotent. */
  async function endRepair(name: RepairName, outcome: RepairOutcome): Promise<RepairEnded> {
    const ended = await database.transaction().execute(async (transaction) => {
      const row = await lockRepair(transaction, name);
      const result = outcome.isDone
        ? outcome.words
        : ((await refusalOfOperation(transaction, name)) ?? outcome.words);
      return end(transaction, row.id, { state: outcome.isDone ? 'DONE' : 'REFUSED', result });
    });
    await failpoint('repair-end-committed');
    return endedOf(ended);
  }

  return { beginRepair, endRepair };
}

/** A repair that has no rule against it, after the last look under the lock. */
interface LastLook {
  readonly row: RepairRow;
  readonly judgement: Judgement;
}

async function beginOrEnd(
  transaction: DatabaseTransaction,
  name: RepairName,
  dependencies: ActivityDependencies,
): Promise<RepairEnded | RepairRunning> {
  const { failpoint, settings, secretBox } = dependencies;
  const row = await lockRepair(transaction, name);
  if (row.state !== 'READY' && row.state !== 'RUNNING') return endedWithClaim(transaction, row);
  await failpoint('repair-begun');
  const refuse = async (result: string) =>
    endedOf(await end(transaction, row.id, { state: 'REFUSED', result }));
  // A running repair was judged when it began.
  const isNew = row.state === 'READY';
  if (isNew && !row.may_still_ask)
    return refuse('Who asked for it may not do so any more: ask again, under your own name.');
  if (isNew && row.needs_confirmation && !row.is_confirmed)
    return refuse(
      'The confirmation does not count, because one of the two may not do so: ask again at /support, and a supervisor confirms.',
    );
  const kind = findRepairKind(row.kind);
  if (!kind)
    return refuse(
      'This version of the service does not know this kind of repair: ask an operator.',
    );
  const args = argumentsOf(row, secretBox);
  // Locked before the subject, in the same order as by a person who asks.
  if (isNew && !row.is_confirmed) await lockAsker(transaction, row.asked_by);
  await kind.lock(transaction, row.subject_id, args);
  const judgement = await kind.judge(transaction, row.subject_id, args, dependencies);
  if (!judgement)
    return refuse(`There is no ${row.subject_kind} ${row.subject_id}: find the case again.`);
  const look = { row, judgement };
  const context = contextOf(row, args, dependencies);
  if (!isNew) return goOn(transaction, look, context);
  if (judgement.refusal !== undefined) return refuse(judgement.refusal);
  // The second person has seen the smaller amount.
  if (row.is_confirmed && judgement.amount > parseMoney(row.amount)) return refuse(HAS_CHANGED);
  // Its own row does not count among those of its asker.
  const isByOne =
    row.is_confirmed ||
    (await whySecondPerson(transaction, judgement, row, settings)) === undefined;
  if (!isByOne) {
    if (!isStaffActor(row.asked_by)) return refuse(ASK_SIGNED_IN);
    const amount = formatMoney(judgement.amount);
    const { repairConfirmSeconds: confirmSeconds } = settings.repairs;
    await askForConfirmation(transaction, row.id, { amount, confirmSeconds });
    return endedOf({ ...row, state: 'ASKED' });
  }
  const begun = await goOn(transaction, look, context);
  await failpoint('repair-carried-out');
  return begun;
}

async function goOn(
  transaction: DatabaseTransaction,
  { row, judgement }: LastLook,
  context: RepairContext,
): Promise<RepairEnded | RepairRunning> {
  const done = await judgement.carryOut(transaction, context);
  if (done.kind === 'call') {
    await runRepair(transaction, row, formatMoney(judgement.amount));
    return { kind: 'running', label: labelOf(row), call: done.call };
  }
  const state = done.kind === 'done' ? 'DONE' : 'REFUSED';
  const ended = await end(transaction, row.id, { state, result: done.result });
  return endedWithClaim(transaction, ended);
}

/**
 * An ended repair, with the workflow of the claim that ended with it, whenever this is asked: the first answer
 * may have been lost.
 */
async function endedWithClaim(
  transaction: DatabaseTransaction,
  row: RepairRow,
): Promise<RepairEnded> {
  const hasEndedClaim = row.state === 'DONE' && findRepairKind(row.kind)?.endsClaim;
  if (!hasEndedClaim) return endedOf(row);
  const { workflowId } = await endedClaim(transaction, String(row.arguments.claimId));
  return { ...endedOf(row), endedClaimWorkflow: workflowId };
}

const contextOf = (
  row: RepairRow,
  args: Readonly<Record<string, unknown>>,
  { numbers, settings }: ActivityDependencies,
): RepairContext => ({
  repairId: row.id,
  operationId: row.operation_id,
  askedBy: row.asked_by,
  why: row.why,
  bound: args,
  numbers,
  books: settings.topups,
});

const endedOf = (row: RepairRow): RepairEnded => ({
  kind: 'ended',
  state: row.state,
  result: row.result,
  label: labelOf(row),
});

/** The label has neither the reason nor the arguments: details in the Temporal UI are not encrypted. */
const labelOf = (row: RepairRow): string =>
  `${findRepairKind(row.kind)?.title ?? row.kind}, ${row.subject_kind} ${row.subject_id}` +
  (parseMoney(row.amount) === 0n ? '' : `, ETB ${formatAmount(parseMoney(row.amount))}`) +
  `. Asked by ${row.asked_by}${row.confirmed_by === null ? '' : `, confirmed by ${row.confirmed_by}`}`;

/** The advice after the database refused a repair; its transaction was rolled back. */
function refusalAfter(error: unknown): string {
  if (violates(error, balanceConstraint))
    return 'The balance does not cover it, and nothing was changed: ask an operator for a deposit, then ask again.';
  return refusedCallWords(definiteRefusal(error));
}

/** Why the operation of a repair was refused, where that was kept. */
async function refusalOfOperation(
  transaction: DatabaseTransaction,
  { operationId }: RepairName,
): Promise<string | undefined> {
  const operation = await lockOperation(transaction, operationId);
  const outcome = operation?.outcome as Refusal | null | undefined;
  return outcome?.ok === false ? refusedCallWords(outcome) : undefined;
}

/** The longest wait of one step for the outcome of a retry. */
const RETRY_WAIT_MS = 10_000;

type Settlement = Extract<RepairCall, { kind: 'settle' }>;

/** The end of an operation in words for people. */
const endings = {
  redemption: { done: 'as paid', 'not-done': 'as not paid' },
  topup: { done: 'as delivered', 'not-done': 'as not delivered' },
  reversal: { done: 'as taken back', 'not-done': 'as not taken back' },
} as const;

export function createSettlementActivities(dependencies: ActivityDependencies) {
  const { database, starters } = dependencies;

  /**
   * Lets the workflow that waits for a provider ask it once more at once. It takes over what was
   * decided by hand where the provider does not say; a workflow that is gone is started again.
   */
  const pressSettlement = ({ of, operationId }: Settlement): Promise<void> =>
    press[of](operationId);

  const press: Readonly<Record<Settlement['of'], (operationId: string) => Promise<void>>> = {
    async redemption(operationId) {
      const [held] = await heldRedemptions(database, { operationId });
      if (held && !(await resumePayment(dependencies, held))) await starters.nudgeRedemption(held);
    },
    async topup(operationId) {
      const [held] = await heldAttempts(database, { operationId });
      if (held && !(await resumeAttempt(dependencies, held)))
        await starters.nudgeTopup(held.workflowId);
    },
    async reversal(operationId) {
      const [pending] = await pendingReversals(database, { operationId });
      if (pending && !(await resumeReversal(dependencies, pending)))
        await starters.nudgeReversal({ redemptionId: pending.redemptionId, operationId });
    },
  };

  /**
   * The result of a settlement by hand; undefined while the end is open. It ends where another provider has the order by
   * now.
   */
  async function readSettlement(
    repairId: number,
    call: Settlement,
  ): Promise<RepairOutcome | undefined> {
    const booked = await bookedEnd(database, call.of, call.operationId);
    if (booked === undefined)
      return (await settledByHand(database, call.operationId))
        ? undefined
        : { isDone: false, words: HAS_CHANGED };
    const row = await findRepair(database, repairId);
    const words = endings[call.of][booked];
    return row?.arguments.outcome === booked
      ? { isDone: true, words: `It is booked ${words}.` }
      : {
          isDone: false,
          words: `The provider has answered by itself, and its answer is booked: ${words}.`,
        };
  }

  /** Makes the attempt of a repair; undefined while its outcome is not known. */
  const retryForRepair = (call: RetryCall): Promise<OperationOutcome<TopupMade> | undefined> =>
    starters.retryTopup(call, RETRY_WAIT_MS);

  return { pressSettlement, readSettlement, retryForRepair };
}

/** The result of an inquiry: whether staff gave it, and about which provider, if that is not the present one. */
export type SaidInquiry = ProviderInquiry & { readonly by?: 'staff'; readonly at?: string };

/**
 * The outcome of an inquiry, or what a person decided where the provider does not say. A workflow asks
 * only when it is not sending, and after the answer it never sends again: so nothing is sent after it was
 * settled as not done.
 */
export async function orSettledByHand(
  database: Database,
  operationId: string,
  found: ProviderInquiry,
): Promise<SaidInquiry> {
  if (found.kind === 'delivered' || found.kind === 'refused') return found;
  const decided = await settledByHand(database, operationId);
  if (!decided) return found;
  const at = found.kind === 'unknown' && found.at !== undefined && { at: found.at };
  return decided.isDone
    ? { kind: 'delivered', providerReference: decided.reference, by: 'staff', ...at }
    : {
        kind: 'refused',
        code: 'settled-by-hand',
        // Callers read this message. Staff find the reference and the repair by the case.
        message: 'settled by hand as not done',
        retryCanHelp: true,
        by: 'staff',
      };
}
