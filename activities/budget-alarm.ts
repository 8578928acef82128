import { log } from '@temporalio/activity';
import type { Company } from '../src/domain/voucher.js';

/**
 * Alerts operators that a company has reached a daily budget; "list budget-alarms" shows it later,
 * and "set budgets" changes it.
 */
export const raiseBudgetAlarm = (
  { kind, id }: Company,
  what: 'messages' | 'wrong verification codes',
  budget: number,
): void =>
  log.error(`A company has reached its daily budget of ${what}`, {
    companyKind: kind,
    companyId: id,
    budget,
  });
