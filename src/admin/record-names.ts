import type { Updateable } from 'kysely';
import { z } from 'zod';
import { inCamelCase } from '../config/setting-names.ts';
import { lockCompany } from '../db/access/company-access.ts';
import {
  type ColumnChanges,
  changeRow,
  findNamesakes,
  findRow,
  type Row,
} from '../db/catalogue/companies.ts';
import type { Database, DatabaseTransaction } from '../db/connection.ts';
import type { Schema } from '../db/generated/tables.ts';
import { maskMsisdn, parseMsisdn } from '../domain/phone.ts';
import type { Company } from '../domain/vouchers/voucher.ts';
import { type AdminCommand, type Change, lookCommand } from './command.ts';
import { AdminError, argument, id, optional, required, shownAs } from './fields.ts';
import { type Column, tableReport, timeText } from './tables.ts';

/** The records of operators: table, name column, and the words before the verb of their commands. */
const subjects = {
  partner: { table: 'partners', nameColumn: 'company_name', commands: 'partner' },
  merchant: { table: 'merchants', nameColumn: 'merchant_name', commands: 'merchant' },
  'merchant-category': {
    table: 'merchant_categories',
    nameColumn: 'category_name',
    commands: 'merchant category',
  },
  'product-category': {
    table: 'product_categories',
    nameColumn: 'category_name',
    commands: 'product category',
  },
  product: { table: 'products', nameColumn: 'product_name', commands: 'product' },
  denomination: {
    table: 'gift_denominations',
    nameColumn: 'amount_etb',
    commands: 'product denomination',
  },
  promo: { table: 'promos', nameColumn: 'promo_name', commands: 'product promo' },
} as const;

export type SubjectKind = keyof typeof subjects;

/** The words before the verb in the commands of a kind, such as "merchant category". */
export const commandsOf = (kind: SubjectKind): string => subjects[kind].commands;

/** The name of a row. */
export const recordName = (kind: SubjectKind, row: Row): string =>
  String(row[subjects[kind].nameColumn]);

export const notFound = (kind: SubjectKind, subjectId: number): AdminError =>
  new AdminError(`There is no ${kind} ${subjectId}: see "${commandsOf(kind)} list".`);

/**
 * The row of an id, with its name, as the subject of a change.
 *
 * @throws {AdminError} where it does not exist
 */
export async function requireSubject<Kind extends SubjectKind>(
  database: Database,
  kind: Kind,
  subjectId: number,
) {
  const row = await findRow(database, subjects[kind].table, subjectId);
  if (!row) throw notFound(kind, subjectId);
  return { name: recordName(kind, row), subject: { kind, id: subjectId } };
}

/**
 * The change of a company, with a warning if others of its kind have the same name, because only
 * their ids differ.
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
  return { ...change, warning: `${others} the same name: see "${commandsOf(kind)} list".` };
}

/** The change of a command that created a row. */
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
 * Changes the given columns of a row; undefined leaves a column unchanged.
 *
 * @throws {AdminError} where the row does not exist, or no column is given
 */
export async function changeSubject<Kind extends SubjectKind>(
  transaction: DatabaseTransaction,
  kind: Kind,
  subjectId: number,
  values: Updateable<Schema[(typeof subjects)[Kind]['table']]>,
): Promise<Change> {
  if (Object.values(values).every((value) => value === undefined))
    throw new AdminError('There is nothing to change: add --help to see the options.');
  const changes = await changeRow(transaction, subjects[kind].table, subjectId, values);
  if (!changes) throw notFound(kind, subjectId);
  return changed(kind, subjectId, changes);
}

/** The change of a command that changed columns of a row. */
export function changed(kind: SubjectKind, subjectId: number, changes: ColumnChanges): Change {
  const entries = Object.entries(changes);
  if (entries.length === 0)
    return { unchanged: `No change: ${kind} ${subjectId} already has these values.` };
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
  value instanceof Date ? timeText(value) : String(value ?? 'not set');

/** Changes in the format of the audit log: a phone number is masked. */
export const changeDetails = ({ phone, ...changes }: ColumnChanges) => ({
  changes: inCamelCase(
    phone
      ? { ...changes, phone: { from: maskedPhone(phone.from), to: maskedPhone(phone.to) } }
      : changes,
  ),
});

/** The telephone number of a merchant, for the audit log. */
export const maskedPhone = (phone: unknown): string => maskMsisdn(String(phone));

/** The argument of a verb of partners, or of merchants. */
export const partnerArgument = { id: argument(id, 'The id of the partner') };
export const merchantArgument = { id: argument(id, 'The id of the merchant') };

/** The option for a partner, or for a merchant. */
export const partnerField = { partner: required(id, 'The id of the partner') };
export const merchantField = { merchant: required(id, 'The id of the merchant') };

/** The two options for a company; a command needs one of them. */
export const companyFields = {
  partner: optional(id, 'The id of a partner'),
  merchant: optional(id, 'The id of a merchant'),
};

/**
 * The company of the options.
 *
 * @throws {AdminError} for none or two options, or an unknown company
 */
export async function requireCompany(
  database: Database,
  input: { readonly partner: number | undefined; readonly merchant: number | undefined },
): Promise<Company> {
  const { partner, merchant } = input;
  if ((partner === undefined) === (merchant === undefined))
    throw new AdminError('Use either --partner or --merchant.');
  const company: Company =
    partner === undefined
      ? { kind: 'merchant', id: merchant ?? 0 }
      : { kind: 'partner', id: partner };
  await requireSubject(database, company.kind, company.id);
  return company;
}

/**
 * The same, locked for a change of what the company has.
 *
 * @throws {AdminError} also where the company is deleted meanwhile
 */
export async function lockedCompany(
  transaction: DatabaseTransaction,
  input: Parameters<typeof requireCompany>[1],
): Promise<Company> {
  const company = await requireCompany(transaction, input);
  await lockSubject(transaction, company);
  return company;
}

/** @throws {AdminError} where the company does not exist, or is deleted meanwhile */
export async function lockSubject(
  transaction: DatabaseTransaction,
  company: Company,
): Promise<void> {
  if (!(await lockCompany(transaction, company))) throw notFound(company.kind, company.id);
}

/** The command that lists what a company has. */
export const companyList = <Row>({
  read,
  columns,
  details,
}: Pick<AdminCommand, 'details'> & {
  read(database: Database, company: Company): Promise<readonly Row[]>;
  readonly columns: readonly Column<Row>[];
}): AdminCommand =>
  lookCommand({
    ...(details !== undefined && { details }),
    fields: companyFields,
    examples: ['--partner 1'],
    look: async (database, input) =>
      tableReport(await read(database, await requireCompany(database, input)), columns),
  });

/** The key of a party, such as msisdn, accountid or walletid. */
export const partyKey = shownAs(
  'key',
  z
    .string()
    .toLowerCase()
    .regex(/^[a-z]{3,40}$/, 'must be a kind of account such as msisdn, accountid or walletid'),
);

/** A merchant's payout account. */
export interface Party {
  readonly key: string;
  readonly value: string;
}

/** The problem of a value that `readParty` refuses. */
export const PARTY_VALUE_PROBLEM =
  'must be a mobile number, such as +251911234567, because its key is msisdn';

/**
 * Reads the value of a party: a telephone number for the key msisdn, otherwise any text. Undefined
 * for an invalid number.
 */
export function readParty(key: string, value: string): Party | undefined {
  if (key !== 'msisdn') return { key, value };
  const number = parseMsisdn(value);
  return number === undefined ? undefined : { key, value: number };
}
