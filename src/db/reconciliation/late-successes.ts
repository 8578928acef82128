import { sql } from 'kysely';
import { parseMoney } from '../../domain/money.ts';
import { LATE_SUCCESS_SETTLEMENT } from '../../domain/statements/statement-labels.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';
import { addTransfers } from '../ledger/ledger.ts';
import {
  type SuspenseCase,
  type SuspenseParty,
  suspenseAccountOf,
  suspenseColumns,
  suspenseJoins,
} from '../ledger/suspense.ts';
import { refreshTopup } from '../topups/topup-state.ts';
import { findEnded, type RefusalInquiry, recordContradiction } from './ended-payments.ts';
import { findCase, listCases, settleCase } from './suspense-cases.ts';

/**
 * A late success: an operation that the provider completed after refusing it, booked against
 * suspense.
 */
export type LateSuccess = SuspenseCase;

const LATE_STEP = 'late-success';

/**
 * Books a late success: the platform has paid the provider and the partner was not charged, so the
 * amount stays in suspense until a person settles it. Its top-up counts as delivered from now on.
 * Idempotent.
 */
export async function bookLateSuccess(
  transaction: DatabaseTransaction,
  inquiry: RefusalInquiry,
  providerReference: string,
): Promise<void> {
  const ended = await findEnded(transaction, inquiry);
  if (ended?.status !== 'VOIDED' || ended.is_booked) return;
  await addTransfers(transaction, [
    {
      operationId: inquiry.operationId,
      partnerId: ended.partner_id,
      step: LATE_STEP,
      debit: 'suspense',
      credit: suspenseAccountOf('provider', inquiry.kind === 'topup' ? 'top-up' : 'payment'),
      amount: parseMoney(ended.amount),
    },
  ]);
  await recordContradiction(transaction, inquiry, providerReference);
  if (ended.topup_id !== null)
    await refreshTopup(transaction, ended.topup_id, {
      message: 'The provider delivered it after it had said that it failed',
      providerReference,
    });
}

/** Suspense has few transfers, and the index of its debits finds them. */
const lateSuccesses = sql`
  select ${suspenseColumns}, bearer.kind as "settledAccount"
  from ledger_transfers as booked ${suspenseJoins(LATE_SUCCESS_SETTLEMENT)}
  left join ledger_accounts as bearer on bearer.id = settlement.debit_account_id
  where booked.step = ${LATE_STEP}
    and booked.debit_account_id = (select id from ledger_accounts where kind = 'suspense')`;

/** The open late successes, or all; oldest first. */
export const listLateSuccesses = (
  database: Database,
  selection: { readonly includeSettled: boolean },
): Promise<LateSuccess[]> => listCases(database, lateSuccesses, selection);

/** The workflows of the top-ups of the newest late successes of the last hour. */
export async function recentLateTopups(database: Database, limit: number): Promise<string[]> {
  const { rows } = await sql<{ workflowId: string }>`
    select topups.workflow_id as "workflowId"
    from ledger_transfers as booked
    join topup_attempts as attempt on attempt.operation_id = booked.operation_id
    join topups on topups.id = attempt.topup_id
    where booked.step = ${LATE_STEP} and booked.created_at > now() - interval '1 hour'
      and booked.debit_account_id = (select id from ledger_accounts where kind = 'suspense')
    order by booked.created_at desc limit ${limit}`.execute(database);
  return rows.map(({ workflowId }) => workflowId);
}

/** The late success with our reference; undefined where there is none. */
export const findLateSuccess = (
  database: Database,
  reference: string,
): Promise<LateSuccess | undefined> => findCase(database, lateSuccesses, reference);

/**
 * Settles a late success once. Partner: its wallet pays. Platform: its fees pay. Provider: it has
 * reversed the operation, which counts as refused again. Returns undefined on success; if the late
 * success was settled before, returns it unchanged.
 *
 * @throws a violation of `balanceConstraint` when the partner's wallet does not cover it
 */
export async function settleLateSuccess(
  transaction: DatabaseTransaction,
  late: LateSuccess,
  bearer: SuspenseParty,
): Promise<LateSuccess | undefined> {
  const earlier = await settleCase(transaction, late, bearer, {
    source: lateSuccesses,
    steps: [
      {
        step: LATE_SUCCESS_SETTLEMENT,
        debit: suspenseAccountOf(bearer, late.kind),
        credit: 'suspense',
        amount: parseMoney(late.amount),
      },
    ],
  });
  if (earlier) return earlier;
  if (late.topupId !== null && bearer === 'provider')
    await refreshTopup(transaction, late.topupId, {
      message: 'The provider has taken back what it had delivered late; nothing was charged',
      providerReference: null,
    });
  return undefined;
}
