import type { DatabaseTransaction } from '../../src/db/connection.js';
import { isRequestedRetry } from '../../src/db/operations/operator-commands.js';
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
  const { credential } = command.company;
  if ('attempt' in command && credential !== undefined && 'operatorCommandId' in credential)
    return isRequestedRetry(transaction, credential.operatorCommandId, {
      topup_id: topup.id,
      attempt: command.attempt,
      numberKeys: command.msisdn === null ? null : numbers.keysOf(command.msisdn),
    });
  return Boolean(context.is_admitted) || isRetrySignal(command);
}
