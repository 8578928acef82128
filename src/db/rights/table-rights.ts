import type { Schema } from '../schema/all-tables.ts';
import { accessRights } from './access-rights.ts';
import { catalogueRights } from './catalogue-rights.ts';
import { moneyRights } from './money-rights.ts';
import { operationRights } from './operation-rights.ts';
import { reportsRights } from './reports-rights.ts';
import { NOTHING, type ProcessRole, READ, type Rights } from './rights.ts';

/** Every table of the service: a process has no right on a table that is not listed. */
type Tables = keyof Schema | 'kysely_migration' | 'kysely_migration_lock' | 'rate_limits';

/** Only triggers write balances, status changes and versions. */
const rights = {
  ...accessRights,
  ...catalogueRights,
  ...moneyRights,
  ...operationRights,
  kysely_migration: READ,
  kysely_migration_lock: READ,
} satisfies Readonly<Record<Tables, Rights>>;

/** What each process may do with each table. */
export const tableRights: Readonly<Record<string, Readonly<Record<ProcessRole, string>>>> =
  Object.fromEntries(
    Object.entries(rights).map(([table, ofTable]) => [
      table,
      { ...ofTable, reports: reportsRights[table as keyof Schema] ?? NOTHING },
    ]),
  );

/**
 * Who allocates numbers itself: of a top-up for the id of its workflow, before its row is written,
 * and of events.
 */
export const NUMBERS: Readonly<Record<string, Partial<Record<ProcessRole, string>>>> = {
  topups_id_seq: { api: 'usage' },
  event_numbers: { worker: 'usage' },
};

/** Operators skip the numbers of every identity after a restore. */
export const SKIPPING: Partial<Record<ProcessRole, string>> = { operator: 'select, update' };
