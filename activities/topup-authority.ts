import type { LockedTopup, TopupContext } from '../src/db/topups.js';
import type { RetryCommand, TopUpCommand } from '../workflows/messages.js';

/** What is wrong with such a signal where the setting does not allow it. */
export const SIGNAL_SWITCHED_OFF = 'retries by signal are switched off (SUPPORT_RETRY_SIGNAL)';

/** Sent in the Temporal UI: it repeats what failed, to the same number. */
export const isRetrySignal = (command: TopUpCommand | RetryCommand): boolean =>
  'attempt' in command &&
  command.msisdn === null &&
  command.company.credential !== undefined &&
  'operatorSignal' in command.company.credential;

/** Whether a command may begin an attempt of this top-up: by its own authority, of its own top-up. */
export const isAdmitted = (
  topup: LockedTopup,
  context: TopupContext,
  command: TopUpCommand | RetryCommand,
): boolean =>
  topup.partner_id === command.company.id &&
  (Boolean(context.is_admitted) || isRetrySignal(command));
