import { formatGroupedAmount, type Money } from '../../../domain/money.ts';
import type { RepairKind } from '../../../repairs/repair-kind.ts';
import { AdminError } from '../../admin-error.ts';
import type { AdminContext } from '../../command.ts';

/**
 * Refuses what one person may not do alone, before its transaction commits.
 *
 * @throws {AdminError} above REPAIR_CONFIRM_ABOVE, with the repair that another person confirms
 */
export function requireSmall(
  amount: Money,
  { repairs: { confirmAbove } }: Pick<AdminContext, 'repairs'>,
  { name, title }: Pick<RepairKind, 'name' | 'title'>,
): void {
  if (amount > confirmAbove)
    throw new AdminError(
      `It is about ETB ${formatGroupedAmount(amount)}, above REPAIR_CONFIRM_ABOVE (ETB ` +
        `${formatGroupedAmount(confirmAbove)}): nothing was changed. Ask at /support for the repair ${name} ` +
        `("${title}"), which another person confirms there.`,
    );
}
