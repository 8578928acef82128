import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from '../connection.ts';
import { heldAmount } from '../ledger/holds.ts';
import type { SuspenseParty } from '../ledger/suspense.ts';

/** A completed operation whose provider is asked again. */
export interface RefusalInquiry {
  readonly kind: 'redemption' | 'topup';
  readonly operationId: string;
}

/** What came to an end, its row locked: what the provider's later word would change. */
export interface EndedPayment extends RefusalInquiry {
  /** VOIDED: its hold was voided. */
  readonly status: 'POSTED' | 'VOIDED';
  readonly partner_id: number;
  /** Who has it by our books. */
  readonly provider: string;
  /** Our reference towards the provider. */
  readonly reference: string;
  /** Decimal string: the amount for the provider. */
  readonly amount: string;
  /** Of a top-up: its number and the attempt. */
  readonly topup_id: number | null;
  readonly attempt: number | null;
  /** The operation of the top-up, and its workflow. */
  readonly creation_id: string | null;
  readonly workflow_id: string | null;
  /** Our reference of the redemption for people. */
  readonly platform_reference: string | null;
  /**
   * The provider's changed answer is already booked, settled or not; or a merchant's reversal, which
   * changes that answer, books it.
   */
  readonly is_booked: boolean;
  /** It is a merchant's reversal. */
  readonly is_reversed_on_request: boolean;
  /** By our books the provider has done it, with what is booked of its changes. */
  readonly stands: boolean;
}

/** SQL expression: a merchant's reversal of the payment is under way, or has succeeded. */
const isReversedOnRequest = (operationId: string) => sql<boolean>`exists (
  select from redemption_reversals as reversal
  join redemptions as paid on paid.id = reversal.redemption_id
  where paid.operation_id = ${operationId} and reversal.status <> 'FAILED')`;

/**
 * SQL condition on a row of `redemptions` or `topup_attempts` by its alias: by our books the provider has done it, with what
 * is booked of changes of its word.
 */
export const isDoneByBooks = (row: string) => sql<boolean>`(
  ${sql.ref(`${row}.status`)} = 'POSTED' and ${sql.ref(`${row}.reversed_at`)} is null
  or ${sql.ref(`${row}.contradicted_at`)} is not null)`;

/** SQL columns: what is booked of changes of the provider's word. */
const bookedChanges = (row: 'redemptions' | 'try', operationId: string) => sql`(exists (
    select from ledger_transfers
    where operation_id = ${operationId} and step in ('late-success', 'reversal'))
  or ${isReversedOnRequest(operationId)}) as is_booked,
  ${isReversedOnRequest(operationId)} as is_reversed_on_request,
  ${isDoneByBooks(row)} as stands`;

/** Whether a merchant's reversal of the payment is under way, or has succeeded. */
export async function hasRequestedReversal(
  database: Database,
  operationId: string,
): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select ${isReversedOnRequest(operationId)} as found`.execute(database);
  return rows[0]?.found ?? false;
}

/** Reads it; undefined where the operation is not completed. */
export async function findEnded(
  database: Database,
  { kind, operationId }: RefusalInquiry,
): Promise<EndedPayment | undefined> {
  const { rows } =
    kind === 'redemption'
      ? await sql<Omit<EndedPayment, keyof RefusalInquiry>>`
          select redemptions.status, vouchers.partner_id, redemptions.provider,
            payment_reference as reference,
            to_merchant as amount, null as topup_id, null as attempt, null as creation_id,
            null as workflow_id, platform_reference, ${bookedChanges('redemptions', operationId)}
          from redemptions join vouchers on vouchers.id = voucher_id
          where redemptions.operation_id = ${operationId} and redemptions.status <> 'HELD'
          for no key update of redemptions`.execute(database)
      : // A later attempt may have another price: the ledger knows what this one held.
        await sql<Omit<EndedPayment, keyof RefusalInquiry>>`
          select try.status, topups.partner_id, try.provider, reference, topup_id, try.attempt,
            topups.operation_id as creation_id, workflow_id, null as platform_reference,
            ${heldAmount(sql`${operationId}`)} as amount,
            ${bookedChanges('try', operationId)}
          from topups join topup_attempts as try on topups.id = topup_id
          where try.operation_id = ${operationId} and try.status <> 'HELD'
          for no key update of topups, try`.execute(database);
  const [row] = rows;
  return row && { kind, operationId, ...row };
}

/** The table of an inquiry's row. */
export const tableOf = ({ kind }: Pick<RefusalInquiry, 'kind'>) =>
  sql.table(kind === 'redemption' ? 'redemptions' : 'topup_attempts');

/** The inquiry about what has changed once: it may change once more. */
const askedOnceMore = sql`recheck_at = now() + interval '24 hours'`;

/** Records that the provider completed a voided operation. */
export async function recordContradiction(
  transaction: DatabaseTransaction,
  inquiry: RefusalInquiry,
  providerReference: string,
): Promise<void> {
  await sql`
    update ${tableOf(inquiry)} set ${askedOnceMore}, doubted_since = null, disagreement = null, contradicted_at = now(),
      provider_reference = ${providerReference}
    where operation_id = ${inquiry.operationId}`.execute(transaction);
  await noteTopupChange(transaction, inquiry);
}

/** Records that the provider reversed a completed operation. */
export async function recordReversal(
  transaction: DatabaseTransaction,
  inquiry: RefusalInquiry,
): Promise<void> {
  await sql`
    update ${tableOf(inquiry)} set ${askedOnceMore}, doubted_since = null, disagreement = null, reversed_at = now()
    where operation_id = ${inquiry.operationId}`.execute(transaction);
  await noteTopupChange(transaction, inquiry);
}

/**
 * Records the party that bore a late success, or that got the money of a reversal. The next reconciliation asks
 * whether the provider says the same.
 */
export async function recordSettlement(
  transaction: DatabaseTransaction,
  inquiry: RefusalInquiry,
  settledBy: SuspenseParty,
): Promise<void> {
  // The provider has undone it: the operation is again as before its change.
  const undone =
    settledBy === 'provider' ? sql`, contradicted_at = null, reversed_at = null` : sql``;
  await sql`
    update ${tableOf(inquiry)} set settled_by = ${settledBy}, recheck_at = now()${undone}
    where operation_id = ${inquiry.operationId}`.execute(transaction);
  await noteTopupChange(transaction, inquiry);
}

/** What is told of a top-up has changed, also where its status stays; its row is locked. */
export async function noteTopupChange(
  transaction: DatabaseTransaction,
  { kind, operationId }: RefusalInquiry,
): Promise<void> {
  if (kind !== 'topup') return;
  await sql`
    update topups set updated_at = now()
    where id = (select topup_id from topup_attempts where operation_id = ${operationId})`.execute(
    transaction,
  );
}
