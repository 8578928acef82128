import type { Updateable } from 'kysely';
import {
  type ColumnChanges,
  changeRow,
  findRow,
  type Row,
} from '../db/catalogue/company-changes.js';
import { findNamesakes } from '../db/catalogue/namesakes.js';
import type { Database, DatabaseTransaction } from '../db/connection.js';
import type { Schema } from '../db/schema/all-tables.js';
import type { Company } from '../domain/voucher.js';
import { AdminError } from './admin-error.js';
import type { Change } from './command.js';
import { id, optional } from './fields.js';

/** What operators create and change: its table, its name's column, and the command that lists it. */
const subjects = {
  partner: { table: 'partners', nameColumn: 'company_name', list: 'list partners' },
  merchant: { table: 'merchants', nameColumn: 'merchant_name', list: 'list merchants' },
  'merchant-category': {
    table: 'merchant_categories',
    nameColumn: 'category_name',
    list: 'list merchant-categories',
  },
  'product-category': {
    table: 'product_categories',
    nameColumn: 'category_name',
    list: 'list product-categories',
  },
  product: { table: 'products', nameColumn: 'product_name', list: 'list products' },
  denomination: {
    table: 'gift_denominations',
    nameColumn: 'amount_etb',
    list: 'list denominations',
  },
  promo: { table: 'promos', nameColumn: 'promo_name', list: 'list promos' },
} as const;

export type SubjectKind = keyof typeof subjects;

/** The command that lists a kind. */
export const listOf = (kind: SubjectKind): string => subjects[kind].list;

/** The name by which people know a row. */
export const nameOf = (kind: SubjectKind, row: Row): string =>
  String(row[subjects[kind].nameColumn]);

export const notFound = (kind: SubjectKind, subjectId: number): AdminError =>
  new AdminError(`There is no ${kind} ${subjectId}: see "${subjects[kind].list}".`);

/**
 * The row that an id names, with its name.
 *
 * @throws {AdminError} when there is none
 */
export async function requireSubject(database: Database, kind: SubjectKind, subjectId: number) {
  const row = await findRow(database, subjects[kind].table, subjectId);
  if (!row) throw notFound(kind, subjectId);
  return { name: nameOf(kind, row), row };
}

/**
 * The change of a company, with a warning where others of its kind have the same name: two rows of one
 * company are told apart only by their ids.
 */
export async function warnOfNamesakes(
  transaction: DatabaseTransaction,
  kind: 'partner' | 'merchant',
  change: Change,
): Promise<Change> {
  if ('unchanged' in change) return change;
  const { table, nameColumn } = subjects[kind];
  const ids = await findNamesakes(transaction, { table, nameColumn, id: change.subject.id });
  if (ids.length === 0) return change;
  const others = ids.length === 1 ? `${kind} ${ids[0]} has` : `${kind}s ${ids.join(', ')} have`;
  return { ...change, warning: `${others} the same name: see "${listOf(kind)}".` };
}

/** What a command that made something answers. */
export const created = (
  kind: SubjectKind,
  subjectId: number,
  details: Readonly<Record<string, unknown>>,
): Change => ({
  subject: { kind, id: subjectId },
  details,
  text: `Created ${kind} ${subjectId}.`,
});

/**
 * Changes what is given of a row; undefined is left as it is.
 *
 * @throws {AdminError} when there is no such row, or nothing is given
 */
export async function changeSubject<Kind extends SubjectKind>(
  transaction: DatabaseTransaction,
  kind: Kind,
  subjectId: number,
  values: Updateable<Schema[(typeof subjects)[Kind]['table']]>,
): Promise<Change> {
  if (Object.values(values).every((value) => value === undefined))
    throw new AdminError('There is nothing to change: add --help to see what can be.');
  const changes = await changeRow(transaction, subjects[kind].table, subjectId, values);
  if (!changes) throw notFound(kind, subjectId);
  return changed(kind, subjectId, changes);
}

/** What a command that changed columns of a row answers. */
export function changed(kind: SubjectKind, subjectId: number, changes: ColumnChanges): Change {
  const entries = Object.entries(changes);
  if (entries.length === 0)
    return { unchanged: `The ${kind} ${subjectId} is so already: nothing was changed.` };
  const sentences = entries.map(
    ([column, { from, to }]) =>
      `${column.replaceAll('_', ' ')} from ${inWords(from)} to ${inWords(to)}`,
  );
  return {
    subject: { kind, id: subjectId },
    details: changeDetails(changes),
    text: `Changed ${kind} ${subjectId}: ${sentences.join(', ')}.`,
  };
}

const inWords = (value: unknown) =>
  value instanceof Date ? value.toISOString() : String(value ?? 'not set');

/** Changes as the audit log keeps them. */
export const changeDetails = (changes: ColumnChanges) => ({
  changes: Object.fromEntries(
    Object.entries(changes).map(([column, change]) => [camelCase(column), change]),
  ),
});

const camelCase = (column: string) =>
  column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The two options of which one names a company. */
export const companyFields = {
  partner: optional(id, 'The id of a partner'),
  merchant: optional(id, 'The id of a merchant'),
};

/**
 * The company that the options name.
 *
 * @throws {AdminError} when they name none or two, or there is no such company
 */
export async function requireCompany(
  database: Database,
  input: { readonly partner: number | undefined; readonly merchant: number | undefined },
): Promise<Company> {
  const { partner, merchant } = input;
  if ((partner === undefined) === (merchant === undefined))
    throw new AdminError('Name either --partner or --merchant.');
  const company: Company =
    partner === undefined
      ? { kind: 'merchant', id: merchant ?? 0 }
      : { kind: 'partner', id: partner };
  await requireSubject(database, company.kind, company.id);
  return company;
}

/** The company that owns a row, as sentences name it. */
export const ownerOf = (owner: {
  readonly partnerId: number | null;
  readonly merchantId: number | null;
}): Company =>
  owner.partnerId === null
    ? { kind: 'merchant', id: owner.merchantId ?? 0 }
    : { kind: 'partner', id: owner.partnerId };
