import { listOpenBreaks } from '../../../db/provider-statements/breaks.ts';
import { listBalances } from '../../../db/provider-statements/provider-balances.ts';
import { SETTLE_BREAK, settleBreak } from '../../../db/provider-statements/settle-break.ts';
import { AdminError } from '../../admin-error.ts';
import { changeCommand, lookCommand } from '../../command.ts';
import { argument, flag, id, optional, reason, required, wholeNumber } from '../../fields.ts';
import { column, numbers, table, time } from '../../tables.ts';
import { breakTable } from './break-table.ts';

export const listBreaks = lookCommand({
  name: 'list breaks',
  details:
    'Breaks of the type late close themselves and are left out. Settle the others with "settle break" ' +
    'when they are clear; "reconcile" compares a day again.',
  fields: {
    late: flag('Include those that close themselves'),
    limit: optional(wholeNumber(1, 10_000), 'Maximum number of rows; 100 by default'),
  },
  examples: ['list breaks', 'list breaks --late'],
  async look(database, { late, limit = 100 }) {
    const breaks = await listOpenBreaks(database, { includeLate: late, limit });
    return { json: breaks, text: breakTable(breaks) };
  },
});

export const settleBreakCommand = changeCommand({
  name: SETTLE_BREAK,
  details:
    'Records who settled it, and why. It moves no money: late successes, reversals and repairs have ' +
    'commands of their own. A settled break stays settled when its day is compared again.',
  fields: {
    id: argument(id, 'Its id, as "list breaks" shows it'),
    note: required(reason, 'The cause, and what was done; recorded with it and in the audit log'),
  },
  examples: ['settle break 17 --note "Their double, paid back with MM4711"'],
  async change(transaction, input, context) {
    const { id, note } = input;
    const settled = await settleBreak(transaction, id, { by: context.actor(), note });
    if (settled.kind === 'unknown')
      throw new AdminError(`There is no break ${id}: see "list breaks".`);
    if (settled.kind === 'ended')
      return { unchanged: `The break ${id} ${settled.why} before: nothing was changed.` };
    const { subject, details, found } = settled;
    const { type, provider, day } = found;
    return {
      subject,
      details,
      text: `The break ${id} (${type}, ${provider}, ${day}) is settled.`,
    };
  },
});

export const listBalancesCommand = lookCommand({
  name: 'list provider-balances',
  fields: {},
  examples: ['list provider-balances'],
  async look(database) {
    const balances = await listBalances(database);
    return {
      json: balances,
      text: table(balances, [
        column('provider', ({ provider }) => provider),
        column('currency', ({ currency }) => currency),
        numbers('balance', ({ amount }) => amount),
        column('read (utc)', ({ readAt }) => time(readAt)),
      ]),
    };
  },
});
