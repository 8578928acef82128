import { log } from '@temporalio/activity';
import { type Database, type DatabaseTransaction, sendTogether } from '../../src/db/connection.ts';
import { holdAirtime } from '../../src/db/ledger/ledger.ts';
import { limitedCaller, spendWithinLimits } from '../../src/db/limits/daily-limits.ts';
import {
  answerRefusal,
  beginRecorded,
  endedEffect,
  isSameRequest,
  outcomeFor,
  refuseOperation,
  settleOperation,
} from '../../src/db/operations.ts';
import { beginAttempt, findAttempt, shareEndedAttempt } from '../../src/db/topups/attempts.ts';
import { dropRequest, RETRY_KIND, TOPUP_KIND } from '../../src/db/topups/requests.ts';
import {
  failUnbegunTopup,
  type LockedTopup,
  lockTopup,
  type TopupContext,
  topupContext,
  topupFacts,
} from '../../src/db/topups/topups.ts';
import { mayCommand } from '../../src/domain/access.ts';
import {
  formatAmount,
  formatGroupedAmount,
  formatMoney,
  type Money,
  parseMoney,
} from '../../src/domain/money.ts';
import { isErased, maskMsisdn, operatorOf } from '../../src/domain/phone.ts';
import { type AirtimeProviderName, routeKindOf } from '../../src/domain/providers.ts';
import {
  type AnsweredOperation,
  answered,
  messageOf,
  type OperationOutcome,
  type Refusal,
  refuse,
} from '../../src/domain/refusals.ts';
import {
  forestalled,
  priceTopup,
  refuseUnfailed,
  type TopupTerms,
  topupReference,
} from '../../src/domain/topup.ts';
import { canSendTopup } from '../../src/providers/airtime/airtime.ts';
import { choiceFor } from '../../src/providers/provider-set.ts';
import { isByTwo } from '../../src/repairs/ask-repair.ts';
import { askedRetry } from '../../src/repairs/top-up-repairs.ts';
import type { RetryCommand, TopupCommand, TopupMade } from '../../workflows/contracts.ts';
import { countOfEvent, withinNumberLimit } from '../budgets.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import type { TopupOperation } from './topup-orders.ts';

/**
 * Whether the signal "retry" of the Temporal UI made the command: it repeats the failed attempt to the same number.
 */
const isRetrySignal = (command: TopupCommand | RetryCommand): boolean =>
  'attempt' in command &&
  command.msisdn === null &&
  command.company.credential !== undefined &&
  'operatorSignal' in command.company.credential;

/**
 * Why the signal may not make an attempt: the setting disables it, or the amount needs two people.
 * The repair that retries to the same number needs them, too. The sender is unknown.
 */
function refuseSignal(
  command: TopupCommand | RetryCommand,
  amount: Money,
  { topups, repairs }: ActivityDependencies['settings'],
): Refusal | undefined {
  if (!isRetrySignal(command)) return undefined;
  const isOn = topups.supportRetrySignal === 'on';
  const isAllowed = isOn && !isByTwo(amount, repairs);
  if (isAllowed) return undefined;
  const detail = isOn
    ? `ETB ${formatGroupedAmount(amount)} reaches REPAIR_CONFIRM_FROM (ETB ` +
      `${formatGroupedAmount(repairs.repairConfirmFrom)}), so that two people are needed: ask for "Retry the top-up" at /support`
    : 'retries by signal are switched off (SUPPORT_RETRY_SIGNAL)';
  log.warn('The signal "retry" was refused', { transactionId: command.transactionId, detail });
  return refuse('topup-not-failed', { detail });
}

/** The arguments of the repair whose authority a command has; undefined for other commands. */
async function askedOf(
  transaction: DatabaseTransaction,
  { company: { credential } }: TopupCommand | RetryCommand,
  { secretBox }: Pick<ActivityDependencies, 'secretBox'>,
) {
  return credential !== undefined && 'repairId' in credential
    ? askedRetry(transaction, credential.repairId, secretBox)
    : undefined;
}

/**
 * Whether a command may begin an attempt of this top-up: it needs a valid authority for this
 * top-up. A repair is one for exactly the attempt that it asks for.
 */
function isAdmitted(
  topup: LockedTopup,
  context: TopupContext,
  command: TopupCommand | RetryCommand,
  asked: Awaited<ReturnType<typeof askedOf>>,
): boolean {
  const { kind, id, credential } = command.company;
  if (!mayCommand(kind, 'top-up') || topup.partner_id !== id) return false;
  if (isRetrySignal(command)) return true;
  if (!context.isAdmitted) return false;
  if (credential === undefined || !('repairId' in credential)) return true;
  return (
    'attempt' in command &&
    asked?.topupId === topup.id &&
    asked.attempt === command.attempt &&
    asked.msisdn === command.msisdn
  );
}

/** The command as a retry; undefined for a new top-up. */
const retryOf = (command: TopupCommand | RetryCommand): RetryCommand | undefined =>
  'attempt' in command ? command : undefined;

/** The operation whose failpoints a command uses. */
export const subjectOfCommand = (command: TopupCommand | RetryCommand): TopupOperation =>
  retryOf(command) ? 'retry' : 'topup';

/** The operation kind of a command. */
const kindOf = (command: TopupCommand | RetryCommand): string =>
  retryOf(command) ? RETRY_KIND : TOPUP_KIND;

/**
 * The top-up of a command; that of a new one belongs to its operation, regardless of the number.
 */
const lockTopupOf = (transaction: DatabaseTransaction, command: TopupCommand | RetryCommand) =>
  lockTopup(transaction, {
    operationId: command.operationId,
    id: retryOf(command)?.transactionId,
  });

/**
 * Whether the calling workflow has a withdrawn number, so that another workflow carries the request
 * out.
 */
const isStranger = (topup: LockedTopup, command: TopupCommand | RetryCommand): boolean =>
  topup.id !== command.transactionId;

/**
 * Refuses a top-up or a retry before any hold. This discards the number of a new top-up, unless a
 * caller got it: then the top-up fails with the reason of the refusal.
 */
async function refuseTopup(
  transaction: DatabaseTransaction,
  command: TopupCommand | RetryCommand,
  refusal: Refusal,
  told: { readonly topupId: number } | undefined,
): Promise<OperationOutcome<TopupMade>> {
  if (retryOf(command) || !told) {
    await dropRequest(transaction, command.operationId);
    return refuseOperation(transaction, command, refusal);
  }
  const detail = messageOf(refusal.reason, refusal.detail);
  await failUnbegunTopup(transaction, told.topupId, detail);
  const failure = refuse('topup-failed', { detail, transactionId: told.topupId });
  return settleOperation<TopupMade>(transaction, command.operationId, 'FAILED', failure);
}

/**
 * Refuses after the transaction of a hold was rolled back; rethrows if an earlier attempt holds
 * money.
 */
export const refuseAfterError = (
  database: Database,
  command: TopupCommand | RetryCommand,
  refusal: Refusal,
  error: unknown,
): Promise<OperationOutcome<TopupMade>> =>
  database.transaction().execute(async (transaction) => {
    const begun = await beginRecorded<TopupMade>(transaction, command, kindOf(command));
    if (begun.kind === 'answered') return begun.outcome;
    const topup = await lockTopupOf(transaction, command);
    if (topup && isStranger(topup, command)) return outcomeFor<TopupMade>(command, refusal);
    if (topup?.has_begun) throw error;
    const isTold = begun.kind === 'resumed' && begun.isAccepted && topup;
    return refuseTopup(transaction, command, refusal, isTold ? { topupId: topup.id } : undefined);
  });

/** Refuses a retry of any but the failed attempt. */
function refuseByState(topup: LockedTopup, retry: RetryCommand): Refusal | undefined {
  if (topup.status !== 'FAILED') return refuseUnfailed(topup.status);
  return topup.attempt === retry.attempt - 1 ? undefined : forestalled;
}

/** An earlier attempt has an open case. */
const maybeDelivered = refuse('topup-not-failed', {
  detail: 'it may have been delivered after all; ask support',
});

/** An attempt on hold, with texts for support staff. */
export interface TopupHeld {
  readonly kind: 'held';
  /** The workflow compares it: the hold must be its own. */
  readonly operationId: string;
  /** An earlier run held it, and may have sent it. */
  readonly isResumed: boolean;
  readonly attempt: number;
  /** Masked. */
  readonly msisdn: string;
  /** Decimal string with two digits, for people. */
  readonly amount: string;
  readonly product: string;
  readonly reference: string;
  /** The provider that sends the top-up. */
  readonly provider: string;
  /** The name of the partner that pays. */
  readonly partner: string;
}

/** Holds the money of an attempt in the given transaction, or answers the refusal. */
export async function holdAttempt(
  transaction: DatabaseTransaction,
  command: TopupCommand | RetryCommand,
  dependencies: ActivityDependencies,
): Promise<TopupHeld | AnsweredOperation<TopupMade>> {
  const isRetry = retryOf(command) !== undefined;
  const begun = await beginRecorded<TopupMade>(transaction, command, kindOf(command));
  if (begun.kind === 'answered') return begun;
  await dependencies.failpoint(`${subjectOfCommand(command)}-begun`);
  const topup = await lockTopupOf(transaction, command);
  // The request was withdrawn as provably not sent, while a duplicate was sending its own.
  if (!topup) return answerRefusal(transaction, command, gone);
  if (isStranger(topup, command)) return answered(outcomeFor<TopupMade>(command, gone));
  if (topup.has_begun) return resumeHold(transaction, command, dependencies);
  if (!isRetry && topup.status !== 'PENDING') return answerEnded(transaction, command, topup);
  // A new top-up must belong to this request: its number may have been allocated for another.
  if (!isRetry && !isSameRequest(topup.request_digest, command))
    return answerRefusal(transaction, command, refuse('key-reused'));
  const isTold = begun.kind === 'resumed' && begun.isAccepted;
  const held = await holdOrRefuse(transaction, command, topup, dependencies);
  if (!('reason' in held)) return held;
  const shared = isRetry && (await shareEndedAttempt<TopupMade>(transaction, command.operationId));
  if (shared) return answered(shared);
  const told = isTold ? { topupId: topup.id } : undefined;
  return answered(await refuseTopup(transaction, command, held, told));
}

/** A top-up that never began and failed without its operation. */
async function answerEnded(
  transaction: DatabaseTransaction,
  command: TopupCommand,
  topup: LockedTopup,
): Promise<AnsweredOperation<TopupMade>> {
  const { operationId } = command;
  const ended = await endedEffect(transaction, TOPUP_KIND, operationId);
  if (!ended || !isSameRequest(topup.request_digest, command))
    return answerRefusal(transaction, command, refuse(ended ? 'key-reused' : 'still-processing'));
  const result = ended.outcome as Refusal;
  return answered(await settleOperation<TopupMade>(transaction, operationId, 'FAILED', result));
}

async function holdOrRefuse(
  transaction: DatabaseTransaction,
  command: TopupCommand | RetryCommand,
  topup: LockedTopup,
  dependencies: ActivityDependencies,
): Promise<TopupHeld | Refusal> {
  const { airtime, settings, numbers, digests } = dependencies;
  const retry = retryOf(command);
  const refusal = retry && refuseByState(topup, retry);
  if (refusal) return refusal;
  const msisdn = retry?.msisdn ?? numbers.open(topup.msisdn);
  if (isErased(msisdn)) return refuse('number-erased');
  const context = await topupContext(transaction, topup, command.company);
  if (context.isBlocked) return maybeDelivered;
  const asked = await askedOf(transaction, command, dependencies);
  const operator = operatorOf(msisdn);
  const choice = choiceFor(airtime, {
    kind: routeKindOf(topup.kind),
    routes: context.routes,
    operator,
    canServe: canSendTopup(topup.kind, context.product?.providerProductId ?? null, operator),
    shareOf: (routeId) => digests.routeShare(command.operationId, routeId),
  });
  const terms = priceTopup(
    {
      ...topupFacts(topup, context, operator),
      isAdmitted: isAdmitted(topup, context, command, asked),
      canCarry: (amount) => choice.candidates(amount).length > 0,
    },
    settings.topups.airtimeRanges,
  );
  if (!terms.ok) return terms;
  const refusedSignal = refuseSignal(command, terms.amount, settings);
  if (refusedSignal) return refusedSignal;
  const chosen = choice.choose(terms.amount, asked?.provider ?? null);
  if (!chosen.ok) return chosen;
  const { provider } = chosen;
  const priced = { topup, context, terms, msisdn, provider };
  return recordHold(transaction, command, priced, dependencies);
}

/** An attempt that passed the checks. */
interface PricedAttempt {
  readonly topup: LockedTopup;
  readonly context: TopupContext;
  readonly terms: TopupTerms;
  readonly msisdn: string;
  readonly provider: AirtimeProviderName;
}

/** The attempt's row and the transfer; what is held is described without reading it again. */
async function recordHold(
  transaction: DatabaseTransaction,
  command: TopupCommand | RetryCommand,
  { topup, context, terms, msisdn, provider }: PricedAttempt,
  dependencies: ActivityDependencies,
): Promise<TopupHeld> {
  const { operationId, company } = command;
  const attempt = topup.attempt + 1;
  const reference = topupReference(topup.operation_id, attempt);
  const count = countOfEvent(dependencies, 'topups', msisdn);
  const begun = {
    topup_id: topup.id,
    attempt,
    operation_id: operationId,
    reference,
    msisdn: dependencies.numbers.store(msisdn),
    operator: terms.operator,
    amount: formatMoney(terms.amount),
    productId: context.product?.id ?? null,
    provider_product_id: context.product?.providerProductId ?? null,
    provider,
    numberCount: count,
  };
  const { amount } = terms;
  const limited = limitedCaller(company);
  const [{ provider: placed, isFoundAgain }] = await sendTogether(transaction, (together) => [
    withinNumberLimit(count, company, () => beginAttempt(together, begun)),
    holdAirtime(together, { operationId, partnerId: topup.partner_id, amount }),
    // After the lock of the wallet, which top-ups of the partner share in any case.
    limited && spendWithinLimits(together, limited, amount),
  ]);
  await dependencies.failpoint(`${subjectOfCommand(command)}-held`);
  return describeHold({
    operationId,
    // A top-up that a restore lost may have been sent: its provider is asked first.
    isResumed: isFoundAgain,
    attempt,
    msisdn,
    amount,
    product: context.product?.name ?? null,
    reference,
    provider: placed,
    partner: context.partner,
  });
}

/** The hold of an earlier run of the same operation. */
async function resumeHold(
  transaction: DatabaseTransaction,
  { operationId }: TopupCommand,
  { numbers }: ActivityDependencies,
): Promise<TopupHeld> {
  const found = await findAttempt(transaction, operationId);
  return describeHold({
    operationId,
    isResumed: true,
    attempt: found.attempt,
    msisdn: numbers.open(found.msisdn),
    amount: parseMoney(found.amount),
    product: found.product_name,
    reference: found.reference,
    provider: found.provider,
    partner: found.partner,
  });
}

/** The description of a hold. The number is in clear here, and masked in every result. */
type HoldRecord = Omit<TopupHeld, 'kind' | 'amount' | 'product'> & {
  readonly amount: Money;
  readonly product: string | null;
};

const describeHold = (hold: HoldRecord): TopupHeld => ({
  ...hold,
  kind: 'held',
  msisdn: maskMsisdn(hold.msisdn),
  amount: formatAmount(hold.amount),
  product: hold.product ?? 'Airtime',
});

/** The request was withdrawn and recorded again under another number. */
const gone = refuse('unavailable', { retryAfterSeconds: 1 });
