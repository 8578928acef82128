import { type RawBuilder, sql } from 'kysely';
import type { Database, DatabaseTransaction } from '../connection.ts';
import { addTransfers, type Transfer } from '../ledger/ledger.ts';
import type { SuspenseCase, SuspenseParty } from '../ledger/suspense.ts';
import { lockName } from '../lock-name.ts';
import { findEnded, recordSettlement } from './ended-payments.ts';

/** A query of cases that further conditions and an order can extend. */
export type CaseSource = RawBuilder<unknown>;

/** The open cases of a source, or all; oldest first. */
export async function listCases<Case extends SuspenseCase>(
  database: Database,
  source: CaseSource,
  selection: { readonly includeSettled: boolean },
): Promise<Case[]> {
  const which = selection.includeSettled ? sql`` : sql`and settlement.id is null`;
  const { rows } = await sql<Case>`
    ${source} ${which} order by booked.created_at, booked.id`.execute(database);
  return rows;
}

/** The case with our reference; undefined where it does not exist. */
export async function findCase<Case extends SuspenseCase>(
  database: Database,
  source: CaseSource,
  reference: string,
): Promise<Case | undefined> {
  const { rows } = await sql<Case>`
    ${source}
    and coalesce(redemptions.payment_reference::text, attempt.reference) = ${reference}
    `.execute(database);
  return rows[0];
}

/**
 * Settles a case once, and records the party. Returns undefined on success; if the case was settled
 * before, returns it unchanged.
 *
 * @throws a violation of `balanceConstraint` when a wallet does not cover it
 */
export async function settleCase<Case extends SuspenseCase>(
  transaction: DatabaseTransaction,
  { operationId, reference, partnerId, kind }: Case,
  party: SuspenseParty,
  settlement: {
    readonly source: CaseSource;
    readonly steps: readonly Omit<Transfer, 'operationId' | 'partnerId'>[];
  },
): Promise<Case | undefined> {
  // Serialises concurrent settlements: the second one finds the first.
  await lockName(transaction, operationId);
  const now = await findCase<Case>(transaction, settlement.source, reference);
  if (now?.settledAt) return now;
  await addTransfers(
    transaction,
    settlement.steps.map((step) => ({ operationId, partnerId, ...step })),
  );
  const row = { kind: kind === 'payment' ? 'redemption' : 'topup', operationId } as const;
  // Locks the top-up before its attempt, the lock order of all changes of both.
  await findEnded(transaction, row);
  await recordSettlement(transaction, row, party);
  return undefined;
}
