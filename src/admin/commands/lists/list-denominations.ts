import { listAllDenominations } from '../../../db/lists/operator-lists.ts';
import { lookCommand } from '../../command.ts';
import { column, money, numbers, table } from '../../tables.ts';

export const listDenominationsCommand = lookCommand({
  name: 'list denominations',
  fields: {},
  examples: ['list denominations'],
  async look(database) {
    const denominations = await listAllDenominations(database);
    return {
      json: denominations,
      text: table(denominations, [
        numbers('id', (row) => row.id),
        numbers('amount', (row) => money(row.amount)),
        column('status', (row) => row.status),
        column('product', (row) => `${row.product} (${row.productId})`),
      ]),
    };
  },
});
