import { type RawBuilder, sql } from 'kysely';
import { parseMoney } from '../../domain/money.js';
import { maskMsisdn } from '../../domain/phone.js';
import { RECOVERY_SETTLEMENT } from '../../domain/statements/statement-labels.js';
import type { Database, DatabaseTransaction } from '../connection.js';
import { addTransfers } from '../ledger/ledger.js';
import { type SuspenseParty, suspenseAccountOf } from '../ledger/suspense.js';
import { firstInquiry } from '../reconciliation/refusal-inquiries.js';

/** A payment or top-up that a provider has and our restored database lacks. */
export interface RecoveredPayment {
  readonly kind: 'payment' | 'top-up';
  /** Our reference, as the provider has it. */
  readonly reference: string;
  /** Null in rows older than the column: the default. */
  readonly provider: string | null;
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

/** Our row of a transaction. */
export interface KnownTransaction {
  readonly reference: string;
  /** RECOVERED: our row is lost, and the amount is booked in suspense. */
  readonly status: 'HELD' | 'POSTED' | 'VOIDED' | 'RECOVERED';
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const BATCH_SIZE = 1_000;

/** Our rows of these references, by reference; where both exist, that of the payment itself. */
export async function findKnown(
  database: Database,
  kind: RecoveredPayment['kind'],
  references: readonly string[],
): Promise<Map<string, KnownTransaction['status']>> {
  const known = new Map<string, KnownTransaction['status']>();
  for (let begin = 0; begin < references.length; begin += BATCH_SIZE) {
    const batch = references.slice(begin, begin + BATCH_SIZE);
    const own =
      kind === 'payment'
        ? sql`select payment_reference::text as reference, status from redemptions
            where payment_reference = any(${batch.filter((one) => UUID.test(one))}::uuid[])`
        : sql`select reference, status from topup_attempts
            where reference = any(${batch}::text[])`;
    const { rows } = await sql<KnownTransaction>`
      select reference, 'RECOVERED' as status from recovered_payments
      where kind = ${kind} and reference = any(${batch}::text[])
      union all ${own}`.execute(database);
    for (const { reference, status } of rows) known.set(reference, status);
  }
  return known;
}

/** Our references of payments, by the provider's receipts. */
export async function referencesOfReceipts(
  database: Database,
  provider: string,
  receipts: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await sql<{ receipt: string; reference: string }>`
    select provider_reference as receipt, payment_reference::text as reference from redemptions
    where provider = ${provider} and provider_reference = any(${receipts}::text[])`.execute(
    database,
  );
  return new Map(rows.map(({ receipt, reference }) => [receipt, reference]));
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

const referenceColumns = {
  payment: [sql`redemptions`, sql`payment_reference::text`],
  'top-up': [sql`topup_attempts`, sql`reference`],
} as const;

/**
 * Names the provider that has a payment or attempt on hold: the database may have been restored to
 * before another one was asked, and its workflow must ask whoever got it. The one that had it is asked, too.
 */
export async function placeHeld(
  transaction: DatabaseTransaction,
  held: Pick<RecoveredPayment, 'kind' | 'reference'> & { readonly provider: string },
): Promise<void> {
  const [table, column] = referenceColumns[held.kind];
  await sql`
    with held as (
      select operation_id as id, provider as former from ${table}
      where ${column} = ${held.reference} and status = 'HELD'
        and provider is distinct from ${held.provider} for no key update
    ), placed as (
      update ${table} set provider = ${held.provider} from held where operation_id = held.id)
    insert into provider_failovers (operation_id, from_provider, to_provider, message, recheck_at)
    select id, former, ${held.provider}, 'It was found at the other one after a restore', ${firstInquiry}
    from held where former is not null`.execute(transaction);
}

/**
 * Asks for an inquiry about payments that a provider and our books see differently: the next
 * reconciliation books what the provider says.
 */
export async function recheckPayments(
  transaction: DatabaseTransaction,
  kind: RecoveredPayment['kind'],
  references: readonly string[],
): Promise<void> {
  const [table, column] = referenceColumns[kind];
  await sql`
    update ${table} set recheck_at = now()
    where ${column} = any(${[...references]}::text[]) and status <> 'HELD'
      and contradicted_at is null and reversed_at is null`.execute(transaction);
}

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
