import { sql } from 'kysely';
import { parseMoney } from '../../domain/money.ts';
import { REVERSAL_FEE, REVERSAL_SETTLEMENT } from '../../domain/statements/statement-labels.ts';
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
import {
  findEnded,
  hasRequestedReversal,
  type RefusalInquiry,
  recordReversal,
} from './ended-payments.ts';
import { findCase, listCases, settleCase } from './suspense-cases.ts';

/** A completed operation that a provider reversed; its money is in suspense. */
export interface Reversal extends SuspenseCase {
  /** Decimal string: the service fee that was charged for a payment. */
  readonly serviceFee: string | null;
}

const REVERSAL_STEP = 'reversal';

/**
 * Books the reversal of a completed operation: the platform has its money again. It stays in
 * suspense, credited to nobody, until a person settles it. Idempotent.
 */
export async function bookReversal(
  transaction: DatabaseTransaction,
  inquiry: RefusalInquiry,
): Promise<void> {
  const ended = await findEnded(transaction, inquiry);
  if (ended?.status !== 'POSTED' || ended.is_booked) return;
  // The row is locked now, so that no merchant's reversal begins; one that began meanwhile is seen.
  if (await hasRequestedReversal(transaction, inquiry.operationId)) return;
  await addTransfers(transaction, [
    {
      operationId: inquiry.operationId,
      partnerId: ended.partner_id,
      step: REVERSAL_STEP,
      debit: suspenseAccountOf('provider', inquiry.kind === 'topup' ? 'top-up' : 'payment'),
      credit: 'suspense',
      amount: parseMoney(ended.amount),
    },
  ]);
  await recordReversal(transaction, inquiry);
}

/** Suspense has few transfers, and the index of its credits finds them. */
const reversals = sql`
  select ${suspenseColumns}, redemptions.service_fee as "serviceFee",
    recipient.kind as "settledAccount"
  from ledger_transfers as booked ${suspenseJoins(REVERSAL_SETTLEMENT)}
  left join ledger_accounts as recipient on recipient.id = settlement.credit_account_id
  where booked.step = ${REVERSAL_STEP}
    and booked.credit_account_id = (select id from ledger_accounts where kind = 'suspense')`;

/** The open reversals, or all; oldest first. */
export const listReversals = (
  database: Database,
  selection: { readonly includeSettled: boolean },
): Promise<Reversal[]> => listCases(database, reversals, selection);

/** The reversal with our reference; undefined where it does not exist. */
export const findReversal = (
  database: Database,
  reference: string,
): Promise<Reversal | undefined> => findCase(database, reversals, reference);

/**
 * Settles a reversal once. Partner: it gets the money with the service fee, and its top-up becomes
 * failed. Platform: it keeps the money, having compensated the partner or the merchant otherwise.
 * Provider: it has repeated the operation. Returns undefined on success; if the reversal was
 * settled before, returns it unchanged.
 */
export async function settleReversal(
  transaction: DatabaseTransaction,
  reversal: Reversal,
  recipient: SuspenseParty,
): Promise<Reversal | undefined> {
  const isCredited = recipient === 'partner';
  const earlier = await settleCase(transaction, reversal, recipient, {
    source: reversals,
    steps: [
      {
        step: REVERSAL_SETTLEMENT,
        debit: 'suspense',
        credit: suspenseAccountOf(recipient, reversal.kind),
        amount: parseMoney(reversal.amount),
      },
      {
        step: REVERSAL_FEE,
        debit: 'service-fees',
        credit: 'gift',
        amount: isCredited ? parseMoney(reversal.serviceFee ?? '0') : 0n,
      },
    ],
  });
  if (earlier) return earlier;
  if (reversal.topupId !== null && isCredited)
    await refreshTopup(transaction, reversal.topupId, {
      message: 'The provider took it back after it had been delivered; the money was returned',
      providerReference: null,
    });
  return undefined;
}
