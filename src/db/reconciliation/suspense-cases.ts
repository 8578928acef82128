import { type RawBuilder, sql } from 'kysely';
import type { Database, DatabaseTransaction } from '../connection.js';
import { addTransfers, type Transfer } from '../ledger/ledger.js';
import type { SuspenseCase, SuspenseParty } from '../ledger/suspense.js';
import { findEnded, recordSettlement } from './refusal-inquiries.js';

/** A query of cases without an order, whose condition can go on. */
export type CaseSource = RawBuilder<unknown>;

/** The cases of a source that nobody has settled, or all; the oldest first. */
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

/** The case with our reference; undefined where there is none. */
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
 * Takes a case out of suspense, once, and notes with whom. Returns undefined when it did, and the case
 * as it was settled before, having changed nothing.
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
  // Two at the same moment take turns: the second finds what the first did.
  await sql`select pg_advisory_xact_lock(hashtextextended(${operationId}, 0))`.execute(transaction);
  const now = await findCase<Case>(transaction, settlement.source, reference);
  if (now?.settledAt) return now;
  await addTransfers(
    transaction,
    settlement.steps.map((step) => ({ operationId, partnerId, ...step })),
  );
  const row = { kind: kind === 'payment' ? 'redemption' : 'topup', operationId } as const;
  // Locks the top-up before its attempt, as everything does that changes both.
  await findEnded(transaction, row);
  await recordSettlement(transaction, row, party);
  return undefined;
}
