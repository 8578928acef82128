import type { ListQuery } from '../../../src/db/lists/list-page.ts';

/** The newest rows of a list, as most callers ask for them. */
export const firstPage: ListQuery = {
  page: 1,
  limit: 10,
  sortBy: [['id', 'DESC']],
  conditions: [],
  isUsual: true,
};
