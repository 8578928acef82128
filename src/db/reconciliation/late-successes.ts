import { sql } from 'kysely';
import { parseMoney } from '../../domain/money.js';
import { LATE_SUCCESS_SETTLEMENT } from '../../domain/statement-labels.js';
import type { Database, DatabaseTransaction } from '../connection.js';
import { addTransfers } from '../ledger/ledger.js';
import {
  type SuspenseCase,
  type SuspenseParty,
  suspenseAccountOf,
  suspenseColumns,
  suspenseJoins,
  suspenseParties,
} from '../ledger/suspense.js';
import type { LedgerAccountsTable } from '../schema/all-tables.js';
import { refreshTopup } from '../topups/topup-state.js';
import {
  findEnded,
  type Recheck,
  recordContradiction,
  recordSettlement,
} from './refusal-inquiries.js';

/** What a provider did although it had refused it, as it was booked against suspense. */
export interface LateSuccess extends SuspenseCase {
  /** The account that has borne it. */
  readonly settledFrom: LedgerAccountsTable['kind'] | null;
}

/** Who bears what a late success cost. */
export const bearers = suspenseParties;
export type Bearer = SuspenseParty;

const LATE_STEP = 'late-success';

/**
 * Books what a provider did although its money had been given back: the platform has paid for it and
 * nobody was charged, so it stands in suspense until a person settles it. Its top-up counts as
 * delivered from now on. Once, however often it is called.
 */
export async function bookLateSuccess(
  transaction: DatabaseTransaction,
  recheck: Recheck,
  providerReference: string,
): Promise<void> {
  const ended = await findEnded(transaction, recheck);
  if (ended?.status !== 'VOIDED' || ended.is_booked) return;
  await addTransfers(transaction, [
    {
      operationId: recheck.operationId,
      partnerId: ended.partner_id,
      step: LATE_STEP,
      debit: 'suspense',
      credit: suspenseAccountOf('provider', recheck.kind === 'topup' ? 'top-up' : 'payment'),
      amount: parseMoney(ended.amount),
    },
  ]);
  await recordContradiction(transaction, recheck, providerReference);
  if (ended.topup_id !== null)
    await refreshTopup(transaction, ended.topup_id, {
      message: 'The provider delivered it after it had said that it failed',
      providerReference,
    });
}

/** Suspense has few transfers, and the index of its debits finds them. */
const lateSuccesses = sql`
  select ${suspenseColumns}, bearer.kind as "settledFrom"
  from ledger_transfers as booked ${suspenseJoins(LATE_SUCCESS_SETTLEMENT)}
  left join ledger_accounts as bearer on bearer.id = settlement.debit_account_id
  where booked.step = ${LATE_STEP}
    and booked.debit_account_id = (select id from ledger_accounts where kind = 'suspense')`;

/** The late successes that nobody has settled, or all; the oldest first. */
export async function listLateSuccesses(
  database: Database,
  selection: { readonly includeSettled: boolean },
): Promise<LateSuccess[]> {
  const which = selection.includeSettled ? sql`` : sql`and settlement.id is null`;
  const { rows } = await sql<LateSuccess>`
    ${lateSuccesses} ${which} order by booked.created_at, booked.id`.execute(database);
  return rows;
}

/** The late success with our reference; undefined where there is none. */
export async function findLateSuccess(
  database: Database,
  reference: string,
): Promise<LateSuccess | undefined> {
  const { rows } = await sql<LateSuccess>`
    ${lateSuccesses}
    and coalesce(redemptions.payment_reference::text, attempt.reference) = ${reference}
    `.execute(database);
  return rows[0];
}

/**
 * Takes what a late success cost out of suspense, once: the partner's wallet pays it, the platform
 * bears it out of its fees, or the provider has taken it back, and then it counts as refused again.
 * Returns undefined when it did, and the late success as it was settled before, having changed
 * nothing.
 *
 * @throws a violation of `balanceConstraint` when the partner's wallet does not cover it
 */
export async function settleLateSuccess(
  transaction: DatabaseTransaction,
  late: LateSuccess,
  bearer: Bearer,
): Promise<LateSuccess | undefined> {
  // Two at the same moment take turns: the second finds what the first did.
  const { operationId, reference, partnerId, kind, amount } = late;
  await sql`select pg_advisory_xact_lock(hashtextextended(${operationId}, 0))`.execute(transaction);
  const now = await findLateSuccess(transaction, reference);
  if (now?.settledAt) return now;
  await addTransfers(transaction, [
    {
      operationId,
      partnerId,
      step: LATE_SUCCESS_SETTLEMENT,
      debit: suspenseAccountOf(bearer, kind),
      credit: 'suspense',
      amount: parseMoney(amount),
    },
  ]);
  const row = { kind: kind === 'payment' ? 'redemption' : 'topup', operationId } as const;
  // Locks the top-up before its attempt, as everything does that changes both.
  await findEnded(transaction, row);
  await recordSettlement(transaction, row, bearer);
  if (late.topupId !== null && bearer === 'provider')
    await refreshTopup(transaction, late.topupId, {
      message: 'The provider has taken back what it had delivered late; nothing was charged',
      providerReference: null,
    });
  return undefined;
}

/** Who has borne a late success; undefined while nobody has. */
export const bearerOf = ({ kind, settledFrom }: LateSuccess): Bearer | undefined =>
  bearers.find((bearer) => suspenseAccountOf(bearer, kind) === settledFrom);
