import { budgetAlarms } from '../../db/limits/company-daily-counts.js';
import { changeCommand, lookCommand } from '../command.js';
import { optional, type Parser, wholeNumber } from '../fields.js';
import { changeSubject, companyFields, requireCompany } from '../record-names.js';
import { column, numbers, table, time } from '../tables.js';

const count = wholeNumber(1, 1_000_000_000);

/** A budget of the company's own, or null for the one of the settings. */
const budget: Parser<number | null> = {
  placeholder: 'number|default',
  parse: (text) => (text === 'default' ? null : (count.parse(text) as number)),
};

export const setBudgets = changeCommand({
  name: 'set budgets',
  summary: 'Set how many messages and wrong codes a company may cause in a day',
  details:
    'They hold at once, for days in UTC, instead of the settings MESSAGES_PER_COMPANY_AND_DAY and ' +
    'CODE_ATTEMPTS_PER_COMPANY_AND_DAY; "default" goes back to these. See "list budget-alarms" for ' +
    'the companies that reached theirs.',
  fields: {
    ...companyFields,
    messages: optional(budget, 'Verification codes, and confirmations of anonymous redemptions'),
    wrongCodes: optional(budget, 'Wrong verification codes, after which its redemptions slow down'),
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
  summary: 'Show the companies that reached their budget of messages or wrong codes on a day',
  details:
    'Days are in UTC. A company that has spent its messages cannot claim until its day is over; one ' +
    'that has spent its wrong codes redeems slowly. Look at what it does, then suspend it or raise ' +
    'its budget with "set budgets".',
  fields: { limit: optional(wholeNumber(1, 10_000), 'At most so many; 50 where it is left out') },
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
