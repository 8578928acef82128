import { sql } from 'kysely';
import { parseMoney } from '../../domain/money.js';
import { REVERSAL_FEE, REVERSAL_SETTLEMENT } from '../../domain/statement-labels.js';
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
import { findEnded, type Recheck, recordReversal, recordSettlement } from './refusal-inquiries.js';

/** What a provider took back after it had done it; the money stands in suspense. */
export interface Reversal extends SuspenseCase {
  /** Decimal string: the service fee of a payment, which was taken when it was done. */
  readonly serviceFee: string | null;
  /** The account that has got it. */
  readonly settledTo: LedgerAccountsTable['kind'] | null;
}

/** Who gets what a provider took back; the provider, when it has done it again. */
export const recipients = suspenseParties;
export type Recipient = SuspenseParty;

const REVERSAL_STEP = 'reversal';

/**
 * Books that a provider took back what it had done: its money is the platform's again, and stands in
 * suspense, credited to nobody, until a person settles it. Once, however often it is called.
 */
export async function bookReversal(
  transaction: DatabaseTransaction,
  recheck: Recheck,
): Promise<void> {
  const ended = await findEnded(transaction, recheck);
  if (ended?.status !== 'POSTED' || ended.is_booked) return;
  await addTransfers(transaction, [
    {
      operationId: recheck.operationId,
      partnerId: ended.partner_id,
      step: REVERSAL_STEP,
      debit: suspenseAccountOf('provider', recheck.kind === 'topup' ? 'top-up' : 'payment'),
      credit: 'suspense',
      amount: parseMoney(ended.amount),
    },
  ]);
  await recordReversal(transaction, recheck);
}

/** Suspense has few transfers, and the index of its credits finds them. */
const reversals = sql`
  select ${suspenseColumns}, redemptions.service_fee as "serviceFee",
    recipient.kind as "settledTo"
  from ledger_transfers as booked ${suspenseJoins(REVERSAL_SETTLEMENT)}
  left join ledger_accounts as recipient on recipient.id = settlement.credit_account_id
  where booked.step = ${REVERSAL_STEP}
    and booked.credit_account_id = (select id from ledger_accounts where kind = 'suspense')`;

/** The reversals that nobody has settled, or all; the oldest first. */
export async function listReversals(
  database: Database,
  selection: { readonly includeSettled: boolean },
): Promise<Reversal[]> {
  const which = selection.includeSettled ? sql`` : sql`and settlement.id is null`;
  const { rows } = await sql<Reversal>`
    ${reversals} ${which} order by booked.created_at, booked.id`.execute(database);
  return rows;
}

/** The reversal with our reference; undefined where there is none. */
export async function findReversal(
  database: Database,
  reference: string,
): Promise<Reversal | undefined> {
  const { rows } = await sql<Reversal>`
    ${reversals}
    and coalesce(redemptions.payment_reference::text, attempt.reference) = ${reference}
    `.execute(database);
  return rows[0];
}

/**
 * Takes what was taken back out of suspense, once: the partner gets it, with the service fee, and its
 * top-up has failed then; the platform keeps it, having settled with the partner or the merchant by
 * other means; or the provider has done it again. Returns undefined when it did, and the reversal as it
 * was settled before, having changed nothing.
 */
export async function settleReversal(
  transaction: DatabaseTransaction,
  reversal: Reversal,
  recipient: Recipient,
): Promise<Reversal | undefined> {
  const { operationId, reference, partnerId, kind, amount, serviceFee } = reversal;
  // Two at the same moment take turns: the second finds what the first did.
  await sql`select pg_advisory_xact_lock(hashtextextended(${operationId}, 0))`.execute(transaction);
  const now = await findReversal(transaction, reference);
  if (now?.settledAt) return now;
  const isCredited = recipient === 'partner';
  await addTransfers(transaction, [
    {
      operationId,
      partnerId,
      step: REVERSAL_SETTLEMENT,
      debit: 'suspense',
      credit: suspenseAccountOf(recipient, kind),
      amount: parseMoney(amount),
    },
    {
      operationId,
      partnerId,
      step: REVERSAL_FEE,
      debit: 'service-fees',
      credit: 'gift',
      amount: isCredited ? parseMoney(serviceFee ?? '0') : 0n,
    },
  ]);
  const row = { kind: kind === 'payment' ? 'redemption' : 'topup', operationId } as const;
  // Locks the top-up before its attempt, as everything does that changes both.
  await findEnded(transaction, row);
  await recordSettlement(transaction, row, recipient);
  if (reversal.topupId !== null && isCredited)
    await refreshTopup(transaction, reversal.topupId, {
      message: 'The provider took it back after it had been delivered; the money was returned',
      providerReference: null,
    });
  return undefined;
}

/** Who has got what was taken back; undefined while nobody has. */
export const recipientOf = ({ kind, settledTo }: Reversal): Recipient | undefined =>
  recipients.find((recipient) => suspenseAccountOf(recipient, kind) === settledTo);
