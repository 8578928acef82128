import { addMerchantCategory, addProductCategory } from '../../db/companies.js';
import { violates } from '../../db/connection.js';
import { listMerchantCategories, listProductCategories } from '../../db/operator-lists.js';
import { AdminError } from '../admin-error.js';
import { changeCommand, lookCommand } from '../command.js';
import { argument, id, oneOf, optional, required, text } from '../fields.js';
import { changeSubject, created } from '../subjects.js';
import { column, numbers, table } from '../tables.js';

const status = oneOf('ACTIVE', 'INACTIVE');
const categoryId = argument(id, 'The id of the category');

export const createMerchantCategory = changeCommand({
  name: 'create merchant-category',
  summary: 'Add a category of merchants',
  fields: { name: required(text, 'The name that partners see') },
  examples: ['create merchant-category --name Restaurants'],
  async change(transaction, { name }) {
    const newId = await addMerchantCategory(transaction, name);
    return created('merchant-category', newId, { name });
  },
});

export const changeMerchantCategory = changeCommand({
  name: 'change merchant-category',
  summary: 'Change a category of merchants',
  fields: {
    id: categoryId,
    name: optional(text, 'The name that partners see'),
    status: optional(status, 'Whether it is in use'),
  },
  examples: ['change merchant-category 2 --name "Food and drink"'],
  change: (transaction, input) =>
    changeSubject(transaction, 'merchant-category', input.id, {
      category_name: input.name,
      is_active: input.status && input.status === 'ACTIVE',
    }),
});

export const listMerchantCategoriesCommand = lookCommand({
  name: 'list merchant-categories',
  summary: 'Show the categories of merchants',
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

function refuseTakenName(error: unknown): never {
  if (violates(error, 'product_categories_category_name_key'))
    throw new AdminError('Another category has this --name: see "list product-categories".');
  throw error;
}

export const createProductCategory = changeCommand({
  name: 'create product-category',
  summary: 'Add a category of products',
  details: 'Partners find packages in the category that is called PACKAGES.',
  fields: {
    name: required(text, 'Its name, which no other category has'),
    description: required(text, 'What is in it'),
  },
  examples: ['create product-category --name PACKAGES --description "Voice and data packages"'],
  async change(transaction, category) {
    const newId = await addProductCategory(transaction, category).catch(refuseTakenName);
    return created('product-category', newId, category);
  },
});

export const changeProductCategory = changeCommand({
  name: 'change product-category',
  summary: 'Change a category of products',
  fields: {
    id: categoryId,
    name: optional(text, 'Its name, which no other category has'),
    description: optional(text, 'What is in it'),
    status: optional(status, 'Whether partners see it'),
  },
  examples: ['change product-category 3 --status INACTIVE'],
  change: (transaction, input) =>
    changeSubject(transaction, 'product-category', input.id, {
      category_name: input.name,
      category_description: input.description,
      status: input.status,
    }).catch(refuseTakenName),
});

export const listProductCategoriesCommand = lookCommand({
  name: 'list product-categories',
  summary: 'Show the categories of products',
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
