import { listBalances } from '../../../db/provider-statements/provider-balances.ts';
import { lookCommand } from '../../command.ts';
import { column, numbers, table, time } from '../../tables.ts';

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
