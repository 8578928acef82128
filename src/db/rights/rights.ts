/** What each process may do in the database. */

/** The processes that use the database, besides the migration, which owns it. */
export const processRoles = ['api', 'worker', 'operator', 'reports'] as const;
export type ProcessRole = (typeof processRoles)[number];

/** Rights of the processes that work; what reports read is listed apart. */
export type Rights = Readonly<Record<Exclude<ProcessRole, 'reports'>, string>>;

export const NOTHING = '';
export const READ: Rights = { api: 'select', worker: 'select', operator: 'select' };
export const ADDED_ONLY: Rights = {
  api: 'select, insert',
  worker: 'select, insert',
  operator: 'select, insert',
};
export const WORKERS: Rights = {
  api: 'select',
  worker: 'select, insert, update',
  operator: 'select, insert, update',
};
export const OPERATORS: Rights = {
  api: 'select',
  worker: 'select',
  operator: 'select, insert, update, delete',
};

/** Workers count, and delete old counts. */
export const COUNTERS: Rights = {
  api: 'select',
  worker: 'select, insert, update, delete',
  operator: 'select',
};

/** Locks of rows that are to be deleted require a right to update, which one column satisfies. */
export const prunedBy = (age: string): string => `select, update (${age}), delete`;
