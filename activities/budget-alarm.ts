import { log } from '@temporalio/activity';
import type { Company } from '../src/domain/voucher.js';

/**
 * Tells the operators that a company has reached its budget of a day; "list budget-alarms" shows it
 * afterwards, and "set budgets" changes it.
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
