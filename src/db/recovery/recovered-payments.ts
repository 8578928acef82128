import { type RawBuilder, sql } from 'kysely';
import { parseMoney } from '../../domain/money.ts';
import { maskMsisdn } from '../../domain/phone.ts';
import { RECOVERY_SETTLEMENT } from '../../domain/statements/statement-labels.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';
import { addTransfers } from '../ledger/ledger.ts';
import { type SuspenseParty, suspenseAccountOf } from '../ledger/suspense.ts';

/** A payment or top-up that a provider has and our restored database lacks. */
export interface RecoveredPayment {
  readonly kind: 'payment' | 'top-up';
  /** Our reference, as the provider has it. */
  readonly reference: string;
  readonly provider: string;
  readonly operationId: string;
  /** Decimal string in ETB. */
  readonly amount: string;
  readonly providerReference: string | null;
  readonly providerStatus: 'completed' | 'pending';
  readonly madeAt: Date;
  /** Who received it, masked: it may be the number of a person. */
  readonly party: string | null;
  readonly merchantName: string | null;
  readonly serialNumber: string | null;
  readonly settledAt: Date | null;
  readonly settledBy: SuspenseParty | 'repetition' | null;
}

/** What is known of a lost payment. */
export interface LostPayment
  extends Pick<
    RecoveredPayment,
    'kind' | 'provider' | 'reference' | 'providerReference' | 'providerStatus' | 'madeAt'
  > {
  /** As the provider names who received it; only the masked text is stored. */
  readonly party: string | null;
  readonly amount: string;
  /** The serial number of its voucher, if the provider has it. */
  readonly serialNumber: string | null;
  /** The payee's identifier in the provider's books. */
  readonly payee: string | null;
}

/**
 * Books a lost payment: the provider has paid, and nobody was charged, so the amount is in suspense.
 * It ends when the request is repeated, or when an operator assigns it. Idempotent; returns whether it
 * was booked now.
 */
export async function bookRecovered(
  transaction: DatabaseTransaction,
  fenceId: number,
  lost: LostPayment,
): Promise<boolean> {
  const { rows } = await sql<{ operationId: string }>`
    insert into recovered_payments (fence_id, kind, provider, reference, provider_reference,
      provider_status, made_at, amount, party, merchant_id, voucher_id)
    values (${fenceId}, ${lost.kind}, ${lost.provider}, ${lost.reference}, ${lost.providerReference},
      ${lost.providerStatus}, ${lost.madeAt}, ${lost.amount},
      ${lost.party && maskMsisdn(lost.party)},
      ${merchantOf(lost)}, (select id from vouchers where serial_number = ${lost.serialNumber}))
    on conflict (reference) do nothing
    returning operation_id as "operationId"`.execute(transaction);
  const [row] = rows;
  if (!row) return false;
  await addTransfers(transaction, [
    {
      operationId: row.operationId,
      partnerId: 0,
      step: 'recovered',
      debit: 'suspense',
      credit: suspenseAccountOf('provider', lost.kind),
      amount: parseMoney(lost.amount),
    },
  ]);
  return true;
}

/** The merchant with this payout account, if there is only one. */
const merchantOf = ({ kind, payee }: LostPayment): RawBuilder<number | null> =>
  kind === 'payment'
    ? sql`(select min(merchant_id) from merchant_payout_accounts
        where party_value = ${payee} having count(distinct merchant_id) = 1)`
    : sql`null::bigint`;

const recoveredWith = (party: RawBuilder<string | null>) => sql`
  select payment.kind, payment.provider, payment.reference, payment.operation_id as "operationId", payment.amount,
    payment.provider_reference as "providerReference",
    payment.provider_status as "providerStatus", payment.made_at as "madeAt", ${party} as party,
    merchants.merchant_name as "merchantName", vouchers.serial_number as "serialNumber",
    payment.settled_at as "settledAt", payment.settled_by as "settledBy"
  from recovered_payments as payment
  left join merchants on merchants.id = payment.merchant_id
  left join vouchers on vouchers.id = payment.voucher_id`;

const recovered = recoveredWith(sql`payment.party`);

/** Those in suspense as cases, without who received them: reports may not read that. */
export async function listOpenRecovered(database: Database): Promise<RecoveredPayment[]> {
  const { rows } = await sql<RecoveredPayment>`
    ${recoveredWith(sql`null`)} where payment.settled_at is null
    order by payment.id`.execute(database);
  return rows;
}

/** The recovered payments in suspense, or all; oldest first. */
export async function listRecovered(
  database: Database,
  selection: { readonly includeSettled: boolean },
): Promise<RecoveredPayment[]> {
  const which = selection.includeSettled ? sql`` : sql`where payment.settled_at is null`;
  const { rows } = await sql<RecoveredPayment>`
    ${recovered} ${which} order by payment.id`.execute(database);
  return rows;
}

/** The recovered payment with our reference; undefined where there is none. */
export async function findRecovered(
  database: Database,
  reference: string,
): Promise<RecoveredPayment | undefined> {
  const { rows } = await sql<RecoveredPayment>`
    ${recovered} where payment.reference = ${reference}`.execute(database);
  return rows[0];
}

/**
 * Settles a recovered payment once. Partner: its wallet pays. Platform: its fees pay. Provider: it did
 * not make the payment in the end, or has reversed it. Returns undefined on success; if the payment
 * was settled before, returns it unchanged.
 *
 * @throws a violation of `balanceConstraint` when the partner's wallet does not cover it
 */
export async function settleRecovered(
  transaction: DatabaseTransaction,
  { reference, operationId, kind, amount }: RecoveredPayment,
  by: SuspenseParty,
  partnerId: number | null,
): Promise<RecoveredPayment | undefined> {
  const settled = await transaction
    .updateTable('recovered_payments')
    .set({ settled_at: sql<Date>`now()`, settled_by: by, partner_id: partnerId })
    .where('reference', '=', reference)
    .where('settled_at', 'is', null)
    .executeTakeFirst();
  if (settled.numUpdatedRows === 0n) return findRecovered(transaction, reference);
  await addTransfers(transaction, [
    {
      operationId,
      partnerId: partnerId ?? 0,
      step: RECOVERY_SETTLEMENT,
      debit: suspenseAccountOf(by, kind),
      credit: 'suspense',
      amount: parseMoney(amount),
    },
  ]);
  return undefined;
}
