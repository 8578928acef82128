import { formatGroupedAmount, type Money } from '../../../domain/money.js';
import { AdminError } from '../../admin-error.js';
import type { AdminContext } from '../../command.js';

/**
 * Refuses what one person may not do alone, before its transaction commits.
 *
 * @throws {AdminError} above REPAIR_CONFIRM_ABOVE, with the command whose repair another person confirms
 */
export function requireSmall(
  amount: Money,
  { repairs: { confirmAbove } }: Pick<AdminContext, 'repairs'>,
  instead: string,
): void {
  if (amount > confirmAbove)
    throw new AdminError(
      `It is about ETB ${formatGroupedAmount(amount)}, above REPAIR_CONFIRM_ABOVE (ETB ` +
        `${formatGroupedAmount(confirmAbove)}): nothing was changed. Ask with "${instead} --why …", and ` +
        'another person confirms it at /support.',
    );
}
