import { listPromos } from '../../../db/lists/operator-lists.ts';
import { lookCommand } from '../../command.ts';
import { column, numbers, table, time } from '../../tables.ts';

const plain = (decimal: string): string => String(Number(decimal));

export const listPromosCommand = lookCommand({
  name: 'list promos',
  fields: {},
  examples: ['list promos'],
  async look(database) {
    const promos = await listPromos(database);
    return {
      json: promos,
      text: table(promos, [
        numbers('id', (row) => row.id),
        column('name', (row) => row.name),
        column('category', (row) => row.category),
        column('from (utc)', (row) => time(row.start)),
        column('to (utc)', (row) => time(row.end)),
        numbers('discount %', (row) => plain(row.discount)),
        numbers('bonus %', (row) => plain(row.bonus)),
        numbers('constraint', (row) => plain(row.constraint)),
        column('image', (row) => row.image),
        column('status', (row) => row.status),
      ]),
    };
  },
});
