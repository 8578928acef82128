import {
  type ColumnChanges,
  differences,
  lockRow,
  type Row,
} from '../../db/catalogue/company-changes.ts';
import { lockIdentities, lockRowsBy } from '../../db/catalogue/records.ts';
import type { DatabaseTransaction } from '../../db/connection.ts';
import {
  columnsOf,
  identityColumns,
  identityOf,
  type RecordKind,
  type RecordProblem,
  type Values,
} from './record-kind.ts';
import { loadReferences, type References } from './references.ts';

/** The planned operation of one record. */
export type Plan =
  | { readonly action: 'refuse'; readonly problems: readonly RecordProblem[] }
  | { readonly action: 'create'; readonly given: Values; readonly row: Row }
  | {
      readonly action: 'change';
      readonly given: Values;
      readonly id: number;
      /** Empty where the record already has the values. */
      readonly changes: ColumnChanges;
    };

/** The given values of one record, and the problems of unreadable ones. */
export interface GivenRecord {
  /** The place of its source, such as "line 3"; undefined for a single record. */
  readonly place?: string;
  readonly given: Values;
  readonly problems: readonly RecordProblem[];
}

/**
 * Plans the creation of records, or the change of existing ones with the same identity. Locks
 * prevent concurrent additions and changes of such records until the transaction ends.
 */
export async function planRecords(
  transaction: DatabaseTransaction,
  kind: RecordKind,
  records: readonly GivenRecord[],
  isChangeAllowed: boolean,
): Promise<Plan[]> {
  await lockIdentities(transaction, kind.table);
  const references = await referencesOf(transaction, kind, records);
  const resolved = records.map((record) => resolve(kind, record, references));
  const [column = ''] = identityColumns(kind);
  const wanted = resolved.flatMap(({ given }) => columnsOf(kind, given)[column] ?? []);
  const found = groupByIdentity(kind, await lockRowsBy(transaction, kind.table, column, wanted));
  const places = new Map<string, string>();
  return resolved.map((record) => {
    const identity = identityOf(kind, columnsOf(kind, record.given));
    const repeated = repetition(kind, record, places.get(identity));
    places.set(identity, places.get(identity) ?? record.place ?? '');
    return planOne(kind, record.given, [...record.problems, ...repeated], {
      same: found.get(identity) ?? [],
      isChangeAllowed,
    });
  });
}

/** A repeated record is a contradiction or a mistake. */
function repetition(
  { identity: [field] }: RecordKind,
  { given }: GivenRecord,
  place: string | undefined,
): RecordProblem[] {
  if (place === undefined || given[field] === undefined) return [];
  return [{ field, reason: `is already that of ${place}` }];
}

function planOne(
  kind: RecordKind,
  given: Values,
  problems: readonly RecordProblem[],
  { same, isChangeAllowed }: { readonly same: readonly Row[]; readonly isChangeAllowed: boolean },
): Plan {
  const live = same.filter(isLive);
  const [existing] = live;
  if (!existing) {
    const [deleted] = same;
    return planCreation(kind, given, deleted ? [...problems, isDeleted(kind, deleted)] : problems);
  }
  if (!isChangeAllowed) return refuse([...problems, isTaken(kind, existing)]);
  if (live.length > 1) return refuse([...problems, isAmbiguous(kind, live)]);
  return planChange(kind, given, existing, problems);
}

/** Plans the change of one record by its id; undefined where it does not exist. */
export async function planChangeOf(
  transaction: DatabaseTransaction,
  kind: RecordKind,
  id: number,
  values: Values,
): Promise<Plan | undefined> {
  await lockIdentities(transaction, kind.table);
  const existing = await lockRow(transaction, kind.table, id);
  if (!existing) return undefined;
  const record = { given: values, problems: [] };
  const references = await referencesOf(transaction, kind, [record]);
  const { given, problems } = resolve(kind, record, references);
  const row: Row = { ...existing, ...columnsOf(kind, given) };
  const isMoved = identityOf(kind, row) !== identityOf(kind, existing);
  const [column = ''] = identityColumns(kind);
  const others = isMoved ? await lockRowsBy(transaction, kind.table, column, [row[column]]) : [];
  const taken = others.filter((other) => identityOf(kind, other) === identityOf(kind, row));
  return planChange(kind, given, existing, [
    ...problems,
    ...taken.map((other) => (isLive(other) ? isTaken(kind, other) : isDeleted(kind, other))),
  ]);
}

const refuse = (problems: readonly RecordProblem[]): Plan => ({ action: 'refuse', problems });

function planCreation(kind: RecordKind, given: Values, problems: readonly RecordProblem[]): Plan {
  const row = columnsOf(kind, given);
  const found = withMore(problems, missing(kind, given));
  const all = withMore(found, kind.check?.(row, given) ?? []);
  return all.length > 0 ? refuse(all) : { action: 'create', given, row };
}

function planChange(
  kind: RecordKind,
  given: Values,
  existing: Row,
  problems: readonly RecordProblem[],
): Plan {
  const values = columnsOf(kind, given);
  const changes = differences(existing, values);
  const found = withMore(problems, fixed(kind, changes));
  const all = withMore(found, kind.check?.({ ...existing, ...values }, given) ?? []);
  if (all.length > 0) return refuse(all);
  return { action: 'change', given, id: Number(existing.id), changes };
}

/**
 * Adds problems of fields without an earlier problem, since a second one would only be its
 * consequence.
 */
function withMore(
  problems: readonly RecordProblem[],
  more: readonly RecordProblem[],
): readonly RecordProblem[] {
  const known = new Set(problems.map(({ field }) => field));
  return [...problems, ...more.filter(({ field }) => !known.has(field))];
}

/** The missing fields of a new record. */
const missing = (kind: RecordKind, given: Values): RecordProblem[] =>
  Object.entries(kind.fields)
    .filter(([name, { isRequired }]) => isRequired && given[name] === undefined)
    .map(([field]) => ({ field, reason: `is missing: a new ${kind.kind} needs it` }));

const fixed = ({ fields }: RecordKind, changes: ColumnChanges): RecordProblem[] =>
  Object.entries(fields).flatMap(([field, { column = '', isFixed }]) =>
    isFixed && changes[column]
      ? [{ field, reason: `cannot be changed: it is ${changes[column].from}` }]
      : [],
  );

const isLive = (row: Row): boolean => (row.deleted_at ?? null) === null;

const isTaken = ({ kind, identity: [field] }: RecordKind, { id }: Row): RecordProblem => ({
  field,
  reason: `is already that of ${kind} ${id}`,
});

const isDeleted = ({ kind, identity: [field] }: RecordKind, { id }: Row): RecordProblem => ({
  field,
  reason: `is that of ${kind} ${id}, which is deleted: see "restore ${kind}"`,
});

const isAmbiguous = (
  { kind, identity: [field] }: RecordKind,
  rows: readonly Row[],
): RecordProblem => ({
  field,
  reason: `is that of several (${rows.map(({ id }) => id).join(', ')}): see "change ${kind}"`,
});

function groupByIdentity(kind: RecordKind, rows: readonly Row[]): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const identity = identityOf(kind, row);
    const group = groups.get(identity);
    if (group) group.push(row);
    else groups.set(identity, [row]);
  }
  return groups;
}

const referencesOf = (
  transaction: DatabaseTransaction,
  { fields }: RecordKind,
  records: readonly GivenRecord[],
): Promise<References> =>
  loadReferences(
    transaction,
    Object.entries(fields).flatMap(([name, { refersTo }]) =>
      refersTo && records.some(({ given }) => typeof given[name] === 'string') ? [refersTo] : [],
    ),
  );

/** Replaces references by ids. */
function resolve(kind: RecordKind, record: GivenRecord, references: References): GivenRecord {
  const { given } = record;
  const resolved: Record<string, Values[string]> = { ...given };
  const problems = [...record.problems];
  for (const [name, { refersTo }] of Object.entries(kind.fields)) {
    const text = given[name];
    if (refersTo === undefined || typeof text !== 'string') continue;
    const result = references.resolve(refersTo, text);
    if (typeof result === 'number') resolved[name] = result;
    else {
      resolved[name] = undefined;
      problems.push({ field: name, reason: result });
    }
  }
  return { ...record, given: resolved, problems };
}
