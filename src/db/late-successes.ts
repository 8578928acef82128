import { sql } from 'kysely';
import { parseMoney } from '../domain/money.js';
import { LATE_SUCCESS_SETTLEMENT } from '../domain/statement-words.js';
import type { Database, DatabaseTransaction } from './connection.js';
import { addTransfers } from './ledger.js';
import {
  findGivenBack,
  type Recheck,
  recordContradiction,
  withdrawContradiction,
} from './rechecks.js';
import type { LedgerAccountsTable } from './schema.js';

/** What a provider did although it had refused it, as it was booked against suspense. */
export interface LateSuccess {
  readonly kind: 'payment' | 'top-up';
  readonly operationId: string;
  readonly foundAt: Date;
  readonly partnerId: number;
  /** Our reference towards the provider. */
  readonly reference: string;
  /** Decimal string: what the provider got. */
  readonly amount: string;
  /** Of a top-up: the number that the partner knows, and its attempt. */
  readonly topupId: number | null;
  readonly attempt: number | null;
  /** Of a payment: the redemption's reference, and the voucher's serial number. */
  readonly redemptionReference: string | null;
  readonly serialNumber: string | null;
  readonly settledAt: Date | null;
  /** The account that has borne it. */
  readonly settledFrom: LedgerAccountsTable['kind'] | null;
}

/** Who bears what a late success cost. */
export const bearers = ['partner', 'platform', 'provider'] as const;
export type Bearer = (typeof bearers)[number];

const LATE_STEP = 'late-success';

/** The account that bears it: of the partner the wallet that should have paid. */
const accountOf = (bearer: Bearer, kind: LateSuccess['kind']): LedgerAccountsTable['kind'] => {
  const isPayment = kind === 'payment';
  if (bearer === 'partner') return isPayment ? 'gift' : 'airtime';
  if (bearer === 'platform') return 'service-fees';
  return isPayment ? 'mobile-money-clearing' : 'airtime-clearing';
};

/**
 * Books what a provider did although its money had been given back: the platform has paid for it and
 * nobody was charged, so it stands in suspense until a person settles it. Once, however often it is
 * called.
 */
export async function bookLateSuccess(
  transaction: DatabaseTransaction,
  recheck: Recheck,
): Promise<void> {
  const givenBack = await findGivenBack(transaction, recheck);
  if (!givenBack || givenBack.is_contradicted || givenBack.is_settled) return;
  await addTransfers(transaction, [
    {
      operationId: recheck.operationId,
      partnerId: givenBack.partner_id,
      step: LATE_STEP,
      debit: 'suspense',
      credit: accountOf('provider', recheck.kind === 'topup' ? 'top-up' : 'payment'),
      amount: parseMoney(givenBack.amount),
    },
  ]);
  await recordContradiction(transaction, recheck);
}

/** Suspense has few transfers, and the index of its debits finds them. */
const lateSuccesses = sql`
  select case when redemptions.id is null then 'top-up' else 'payment' end as kind,
    late.operation_id as "operationId", late.created_at as "foundAt",
    coalesce(vouchers.partner_id, topups.partner_id) as "partnerId",
    coalesce(redemptions.payment_reference::text, attempt.reference) as reference, late.amount,
    attempt.topup_id as "topupId", attempt.attempt,
    redemptions.platform_reference as "redemptionReference",
    vouchers.serial_number as "serialNumber",
    settlement.created_at as "settledAt", bearer.kind as "settledFrom"
  from ledger_transfers as late
  left join redemptions on redemptions.operation_id = late.operation_id
  left join vouchers on vouchers.id = redemptions.voucher_id
  left join topup_attempts as attempt on attempt.operation_id = late.operation_id
  left join topups on topups.id = attempt.topup_id
  left join ledger_transfers as settlement on settlement.operation_id = late.operation_id
    and settlement.step = ${LATE_SUCCESS_SETTLEMENT}
  left join ledger_accounts as bearer on bearer.id = settlement.debit_account_id
  where late.step = ${LATE_STEP}
    and late.debit_account_id = (select id from ledger_accounts where kind = 'suspense')`;

/** The late successes that nobody has settled, or all; the oldest first. */
export async function listLateSuccesses(
  database: Database,
  selection: { readonly includeSettled: boolean },
): Promise<LateSuccess[]> {
  const which = selection.includeSettled ? sql`` : sql`and settlement.id is null`;
  const { rows } = await sql<LateSuccess>`
    ${lateSuccesses} ${which} order by late.created_at, late.id`.execute(database);
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
      debit: accountOf(bearer, kind),
      credit: 'suspense',
      amount: parseMoney(amount),
    },
  ]);
  if (bearer === 'provider')
    await withdrawContradiction(transaction, {
      kind: kind === 'payment' ? 'redemption' : 'topup',
      operationId,
    });
  return undefined;
}

/** Who has borne a late success; undefined while nobody has. */
export const bearerOf = ({ kind, settledFrom }: LateSuccess): Bearer | undefined =>
  bearers.find((bearer) => accountOf(bearer, kind) === settledFrom);
