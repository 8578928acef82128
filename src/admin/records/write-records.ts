import { type ColumnChanges, changeRows, type Row } from '../../db/catalogue/company-changes.ts';
import {
  currentPayoutAccounts,
  type NewPayoutAccount,
  replacePayoutAccounts,
} from '../../db/catalogue/payout-accounts.ts';
import { insertRows } from '../../db/catalogue/records.ts';
import type { DatabaseTransaction } from '../../db/connection.ts';
import { type Party, readParty } from '../payout-party.ts';
import { changeDetails } from '../record-names.ts';
import type { Plan } from './plan-records.ts';
import { identityOf, type RecordKind, type Values } from './record-kind.ts';

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
  if (wanted.length === 0) return new Map();
  const before = await currentPayoutAccounts(
    transaction,
    wanted.map(({ merchantId }) => merchantId),
  );
  const others: (NewPayoutAccount & Party)[] = wanted.filter(({ merchantId, key, value }) => {
    const account = before.get(merchantId);
    return account?.key !== key || account.value !== value;
  });
  if (others.length === 0) return new Map();
  await replacePayoutAccounts(transaction, others);
  return new Map(
    others.map(({ merchantId, shown }) => {
      const { key, value } = before.get(merchantId) ?? {};
      const from = key === undefined ? null : (readParty(key, value ?? '')?.shown ?? key);
      return [merchantId, { payout_account: { from, to: shown } }];
    }),
  );
}

/** The given values, with a masked payout account. */
function creationDetails({ payoutKey, payoutValue, ...given }: Values): Values {
  const payout = partyOf({ payoutKey, payoutValue });
  return payout ? { ...given, payout: payout.shown } : given;
}
