import { log } from '@temporalio/activity';
import type { DatabaseTransaction } from '../../src/db/connection.ts';
import { isRequestedRetry, wantedProvider } from '../../src/db/operations/operator-commands.ts';
import type { TopupContext } from '../../src/db/topups/topup-facts.ts';
import type { LockedTopup } from '../../src/db/topups/topups.ts';
import { mayCommand } from '../../src/domain/access/command-rights.ts';
import { formatGroupedAmount, type Money } from '../../src/domain/money.ts';
import { type Refusal, refuse } from '../../src/domain/refusals.ts';
import { isByTwo } from '../../src/repairs/second-person.ts';
import type { RetryCommand, TopUpCommand } from '../../workflows/contracts.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/** Sent in the Temporal UI: it repeats the failed attempt to the same number. */
const isRetrySignal = (command: TopUpCommand | RetryCommand): boolean =>
  'attempt' in command &&
  command.msisdn === null &&
  command.company.credential !== undefined &&
  'operatorSignal' in command.company.credential;

/**
 * Why the signal may not make an attempt: the setting disables it, or the amount needs two people, as the
 * repair that retries to the same number does. Nobody knows who sent it.
 */
export function refuseSignal(
  command: TopUpCommand | RetryCommand,
  amount: Money,
  {
    supportRetrySignal,
    repairs,
  }: Pick<ActivityDependencies['limits'], 'supportRetrySignal' | 'repairs'>,
): Refusal | undefined {
  if (!isRetrySignal(command)) return undefined;
  const isAllowed = supportRetrySignal && !isByTwo(amount, repairs);
  if (isAllowed) return undefined;
  const detail = supportRetrySignal
    ? `ETB ${formatGroupedAmount(amount)} reaches REPAIR_CONFIRM_FROM (ETB ` +
      `${formatGroupedAmount(repairs.confirmFrom)}), so that two people are needed: ask for "Retry the top-up" at /support`
    : 'retries by signal are switched off (SUPPORT_RETRY_SIGNAL)';
  log.warn('The signal retry was refused', { transactionId: command.transactionId, detail });
  return refuse('topup-not-failed', { detail });
}

/** The command of an operator or a repair that a retry carries out; undefined for all others. */
const operatorCommandOf = (command: TopUpCommand | RetryCommand): number | undefined => {
  const { credential } = command.company;
  return 'attempt' in command && credential !== undefined && 'operatorCommandId' in credential
    ? credential.operatorCommandId
    : undefined;
};

/** The provider that a repair wants; null where the routes decide alone. */
export async function providerFor(
  transaction: DatabaseTransaction,
  command: TopUpCommand | RetryCommand,
): Promise<string | null> {
  const operatorCommand = operatorCommandOf(command);
  return operatorCommand === undefined ? null : wantedProvider(transaction, operatorCommand);
}

/**
 * Whether a command may begin an attempt of this top-up: it needs a valid authority for this
 * top-up.
 */
export async function isAdmitted(
  transaction: DatabaseTransaction,
  topup: LockedTopup,
  context: TopupContext,
  command: TopUpCommand | RetryCommand,
  { numbers }: Pick<ActivityDependencies, 'numbers'>,
): Promise<boolean> {
  const { kind, id } = command.company;
  if (!mayCommand(kind, 'top-up') || topup.partner_id !== id) return false;
  const operatorCommand = operatorCommandOf(command);
  if ('attempt' in command && operatorCommand !== undefined)
    return isRequestedRetry(transaction, operatorCommand, {
      topup_id: topup.id,
      attempt: command.attempt,
      numberHash: command.msisdn === null ? null : numbers.hashOf(command.msisdn),
    });
  return Boolean(context.is_admitted) || isRetrySignal(command);
}
