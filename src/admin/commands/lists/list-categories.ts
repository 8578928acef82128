import { listMerchantCategories, listProductCategories } from '../../../db/lists/operator-lists.ts';
import { lookCommand } from '../../command.ts';
import { column, numbers, table } from '../../tables.ts';

export const listMerchantCategoriesCommand = lookCommand({
  name: 'list merchant-categories',
  fields: {},
  examples: ['list merchant-categories'],
  async look(database) {
    const categories = await listMerchantCategories(database);
    return {
      json: categories,
      text: table(categories, [
        numbers('id', (row) => row.id),
        column('name', (row) => row.name),
        column('status', (row) => (row.isActive ? 'ACTIVE' : 'INACTIVE')),
      ]),
    };
  },
});

export const listProductCategoriesCommand = lookCommand({
  name: 'list product-categories',
  fields: {},
  examples: ['list product-categories'],
  async look(database) {
    const categories = await listProductCategories(database);
    return {
      json: categories,
      text: table(categories, [
        numbers('id', (row) => row.id),
        column('name', (row) => row.name),
        column('status', (row) => row.status),
        column('description', (row) => row.description),
      ]),
    };
  },
});
