import { listProducts } from '../../../db/lists/operator-lists.ts';
import { lookCommand } from '../../command.ts';
import { id, optional } from '../../fields.ts';
import { requireSubject } from '../../record-names.ts';
import { column, money, numbers, table } from '../../tables.ts';

type ListedProduct = Awaited<ReturnType<typeof listProducts>>[number];

/** Products as a table. */
export const productTable = (products: readonly ListedProduct[]): string =>
  table(products, [
    numbers('id', (row) => row.id),
    column('name', (row) => row.name),
    column('kind', (row) => row.kind),
    column('category', (row) => row.category),
    column('operator', (row) => row.operator),
    numbers('price', (row) => row.price && money(row.price)),
    numbers('provider id', (row) => row.providerProductId),
    column('status', (row) => row.status),
  ]);

export const listProductsCommand = lookCommand({
  name: 'list products',
  fields: { partner: optional(id, 'The id of a partner: only the products that it may sell') },
  examples: ['list products', 'list products --partner 1'],
  async look(database, { partner }) {
    if (partner !== undefined) await requireSubject(database, 'partner', partner);
    const products = await listProducts(database, partner);
    return { json: products, text: productTable(products) };
  },
});
