import { formatGroupedAmount, type Money } from '../../../domain/money.ts';
import type { RepairKind } from '../../../repairs/repair-kind.ts';
import { isByTwo } from '../../../repairs/second-person.ts';
import { AdminError } from '../../admin-error.ts';
import type { AdminContext } from '../../command.ts';

/**
 * Refuses what one person may not do alone, before its transaction commits.
 *
 * @throws {AdminError} from REPAIR_CONFIRM_FROM on, with the repair that another person confirms
 */
export function requireSmall(
  amount: Money,
  { repairs }: Pick<AdminContext, 'repairs'>,
  { name, title }: Pick<RepairKind, 'name' | 'title'>,
): void {
  if (isByTwo(amount, repairs))
    throw new AdminError(
      `It is about ETB ${formatGroupedAmount(amount)} and reaches REPAIR_CONFIRM_FROM (ETB ` +
        `${formatGroupedAmount(repairs.confirmFrom)}): nothing was changed. Ask at /support for the repair ${name} ` +
        `("${title}"), which another person confirms there.`,
    );
}
