import { budgetAlarms } from '../../db/limits/company-daily-counts.ts';
import { changeCommand, lookCommand } from '../command.ts';
import { optional, type Parser, wholeNumber } from '../fields.ts';
import { changeSubject, companyFields, requireCompany } from '../record-names.ts';
import { column, numbers, table, time } from '../tables.ts';

const count = wholeNumber(1, 1_000_000_000);

/** A budget of the company, or null for that of the settings. */
const budget: Parser<number | null> = {
  placeholder: 'number|default',
  parse: (text) => (text === 'default' ? null : (count.parse(text) as number)),
};

export const setBudgets = changeCommand({
  name: 'set budgets',
  details:
    'They apply at once, for days in UTC, and replace the setting MESSAGES_PER_COMPANY_AND_DAY ' +
    'and 100 wrong codes; "default" restores these. "list budget-alarms" shows ' +
    'the companies that reached a budget.',
  fields: {
    ...companyFields,
    messages: optional(budget, 'Verification codes, and confirmations of anonymous redemptions'),
    wrongCodes: optional(
      budget,
      'Wrong verification codes; beyond the budget its redemptions slow down',
    ),
  },
  examples: [
    'set budgets --merchant 3 --messages 20000',
    'set budgets --partner 1 --messages default --wrong-codes 500',
  ],
  async change(transaction, input) {
    const company = await requireCompany(transaction, input);
    return changeSubject(transaction, company.kind, company.id, {
      messages_per_day: input.messages,
      wrong_codes_per_day: input.wrongCodes,
    });
  },
});

export const listBudgetAlarmsCommand = lookCommand({
  name: 'list budget-alarms',
  details:
    'Days are in UTC. A company without remaining messages cannot claim until the day ends; one ' +
    'without remaining wrong codes redeems slowly. Examine its calls, then suspend it or raise ' +
    'its budget with "set budgets".',
  fields: { limit: optional(wholeNumber(1, 10_000), 'Maximum number of rows; 50 by default') },
  examples: ['list budget-alarms'],
  async look(database, { limit = 50 }) {
    const alarms = await budgetAlarms(database, limit);
    const moment = (at: Date | null) => at && time(at);
    return {
      json: alarms,
      text: table(alarms, [
        column('day', (row) => row.day),
        column('company', (row) => `${row.companyKind} ${row.companyId}`),
        column('name', (row) => row.companyName),
        numbers('messages', (row) => row.messages),
        column('spent (utc)', (row) => moment(row.messagesSpentAt)),
        numbers('wrong codes', (row) => row.wrongCodes),
        column('spent (utc)', (row) => moment(row.wrongCodesSpentAt)),
      ]),
    };
  },
});
