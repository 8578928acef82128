import type { DatabaseTransaction } from '../../src/db/connection.js';
import { isRequestedRetry, wantedProvider } from '../../src/db/operations/operator-commands.js';
import type { TopupContext } from '../../src/db/topups/topup-facts.js';
import type { LockedTopup } from '../../src/db/topups/topups.js';
import type { RetryCommand, TopUpCommand } from '../../workflows/contracts.js';
import type { ActivityDependencies } from '../dependencies.js';

/** The refusal of the signal where the setting disables it. */
export const SIGNAL_SWITCHED_OFF = 'retries by signal are switched off (SUPPORT_RETRY_SIGNAL)';

/** Sent in the Temporal UI: it repeats the failed attempt to the same number. */
export const isRetrySignal = (command: TopUpCommand | RetryCommand): boolean =>
  'attempt' in command &&
  command.msisdn === null &&
  command.company.credential !== undefined &&
  'operatorSignal' in command.company.credential;

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
  if (topup.partner_id !== command.company.id) return false;
  const operatorCommand = operatorCommandOf(command);
  if ('attempt' in command && operatorCommand !== undefined)
    return isRequestedRetry(transaction, operatorCommand, {
      topup_id: topup.id,
      attempt: command.attempt,
      numberKeys: command.msisdn === null ? null : numbers.keysOf(command.msisdn),
    });
  return Boolean(context.is_admitted) || isRetrySignal(command);
}
