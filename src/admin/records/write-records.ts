import {
  type ColumnChanges,
  changeRows,
  differences,
  lockRow,
  type Row,
} from '../../db/catalogue/companies.ts';
import { replacePayoutAccounts } from '../../db/catalogue/payout-accounts.ts';
import { insertRows, lockIdentities, lockRowsBy } from '../../db/catalogue/records.ts';
import type { DatabaseTransaction } from '../../db/connection.ts';
import { maskedAccount } from '../../domain/payout-account.ts';
import { changeDetails, commandsOf, maskedPhone, type Party, readParty } from '../record-names.ts';
import {
  columnsOf,
  identityColumns,
  identityOf,
  loadReferences,
  type RecordKind,
  type RecordProblem,
  type ResolveReference,
  type Values,
} from './record-kind.ts';

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
  const rows = await lockRowsBy(transaction, kind.table, column, wanted);
  const found = Map.groupBy(rows, (row) => identityOf(kind, row));
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
  reason: `is that of ${kind} ${id}, which is deleted: see "${commandsOf(kind)} restore"`,
});

const isAmbiguous = (
  { kind, identity: [field] }: RecordKind,
  rows: readonly Row[],
): RecordProblem => ({
  field,
  reason: `is that of several (${rows.map(({ id }) => id).join(', ')}): see "${commandsOf(kind)} change"`,
});

const referencesOf = (
  transaction: DatabaseTransaction,
  { fields }: RecordKind,
  records: readonly GivenRecord[],
): Promise<ResolveReference> =>
  loadReferences(
    transaction,
    Object.entries(fields).flatMap(([name, { refersTo }]) =>
      refersTo && records.some(({ given }) => typeof given[name] === 'string') ? [refersTo] : [],
    ),
  );

/** Replaces references by ids. */
function resolve(
  kind: RecordKind,
  record: GivenRecord,
  resolveReference: ResolveReference,
): GivenRecord {
  const { given } = record;
  const resolved: Record<string, Values[string]> = { ...given };
  const problems = [...record.problems];
  for (const [name, { refersTo }] of Object.entries(kind.fields)) {
    const text = given[name];
    if (refersTo === undefined || typeof text !== 'string') continue;
    const result = resolveReference(refersTo, text);
    if (typeof result === 'number') resolved[name] = result;
    else {
      resolved[name] = undefined;
      problems.push({ field: name, reason: result });
    }
  }
  return { ...record, given: resolved, problems };
}

/** The effect on one planned record. */
export interface Written {
  readonly outcome: 'created' | 'changed' | 'unchanged';
  readonly id: number;
  /** For the audit log. */
  readonly details: Readonly<Record<string, unknown>>;
}

type Creation = Extract<Plan, { action: 'create' }>;
type Changing = Extract<Plan, { action: 'change' }>;

/** Executes plans in batches of few statements. Returns the effect on each record. */
export async function writeRecords(
  transaction: DatabaseTransaction,
  kind: RecordKind,
  plans: readonly (Creation | Changing)[],
): Promise<Written[]> {
  const creations = plans.filter((plan) => plan.action === 'create');
  const ids = await create(transaction, kind, creations);
  await change(
    transaction,
    kind,
    plans.filter((plan) => plan.action === 'change'),
  );
  const idOf = (plan: Creation | Changing) =>
    plan.action === 'change' ? plan.id : (ids.get(identityOf(kind, plan.row)) ?? 0);
  const payouts = await writePayouts(
    transaction,
    plans.map((plan) => ({ merchantId: idOf(plan), given: plan.given })),
  );
  return plans.map((plan) => {
    const id = idOf(plan);
    if (plan.action === 'create')
      return { outcome: 'created', id, details: creationDetails(plan.given) };
    const changes: ColumnChanges = { ...plan.changes, ...payouts.get(id) };
    const outcome = Object.keys(changes).length > 0 ? 'changed' : 'unchanged';
    return { outcome, id, details: changeDetails(changes) };
  });
}

/** Returns the ids by the identities of the records. */
async function create(
  transaction: DatabaseTransaction,
  kind: RecordKind,
  creations: readonly Creation[],
): Promise<ReadonlyMap<string, number>> {
  if (creations.length === 0) return new Map();
  const rows = creations.map(({ row }) => row);
  const inserted = await insertRows(transaction, kind.table, rows);
  return new Map(inserted.map((row) => [identityOf(kind, row), Number(row.id)]));
}

/** One statement changes all records whose changes have the same columns. */
async function change(
  transaction: DatabaseTransaction,
  kind: RecordKind,
  changes: readonly Changing[],
): Promise<void> {
  const byColumns = new Map<string, Row[]>();
  for (const { id, changes: columns } of changes) {
    const names = Object.keys(columns).join();
    if (names === '') continue;
    const row = Object.fromEntries(
      Object.entries(columns).map(([column, { to }]) => [column, to] as const),
    );
    const rows = byColumns.get(names);
    if (rows) rows.push({ id, ...row });
    else byColumns.set(names, [{ id, ...row }]);
  }
  for (const rows of byColumns.values()) await changeRows(transaction, kind.table, rows);
}

/** The payout account of a merchant's fields. */
const partyOf = ({ payoutKey, payoutValue }: Values): Party | undefined =>
  typeof payoutKey === 'string' && typeof payoutValue === 'string'
    ? readParty(payoutKey, payoutValue)
    : undefined;

/** Returns the changed payout accounts, as changes by the merchant's id. */
async function writePayouts(
  transaction: DatabaseTransaction,
  merchants: readonly { readonly merchantId: number; readonly given: Values }[],
): Promise<ReadonlyMap<number, ColumnChanges>> {
  const wanted = merchants.flatMap(({ merchantId, given }) => {
    const party = partyOf(given);
    return party ? [{ merchantId, ...party }] : [];
  });
  // A file has no column of the holder, and what it does not have stays: the new account is checked, too.
  const replaced = await replacePayoutAccounts(transaction, wanted);
  return new Map(
    wanted.flatMap((wantedAccount) => {
      const account = replaced.get(wantedAccount.merchantId);
      if (!account) return [];
      const from = account.before ? maskedAccount(account.before) : null;
      const to = maskedAccount(wantedAccount);
      return [[wantedAccount.merchantId, { payout_account: { from, to } }] as const];
    }),
  );
}

/** The given values for the audit log, with a masked phone number and payout account. */
function creationDetails({ payoutKey, payoutValue, phone, ...given }: Values): Values {
  const payout = partyOf({ payoutKey, payoutValue });
  return {
    ...given,
    ...(phone !== undefined && { phone: maskedPhone(phone) }),
    ...(payout && { payout: maskedAccount(payout) }),
  };
}
