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
} from '../ledger/suspense.js';
import { refreshTopup } from '../topups/topup-state.js';
import { findEnded, type Recheck, recordReversal } from './refusal-inquiries.js';
import { findCase, listCases, settleCase } from './suspense-cases.js';

/** What a provider took back after it had done it; the money stands in suspense. */
export interface Reversal extends SuspenseCase {
  /** Decimal string: the service fee of a payment, which was taken when it was done. */
  readonly serviceFee: string | null;
}

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
    recipient.kind as "settledAccount"
  from ledger_transfers as booked ${suspenseJoins(REVERSAL_SETTLEMENT)}
  left join ledger_accounts as recipient on recipient.id = settlement.credit_account_id
  where booked.step = ${REVERSAL_STEP}
    and booked.credit_account_id = (select id from ledger_accounts where kind = 'suspense')`;

/** The reversals that nobody has settled, or all; the oldest first. */
export const listReversals = (
  database: Database,
  selection: { readonly includeSettled: boolean },
): Promise<Reversal[]> => listCases(database, reversals, selection);

/** The reversal with our reference; undefined where there is none. */
export const findReversal = (
  database: Database,
  reference: string,
): Promise<Reversal | undefined> => findCase(database, reversals, reference);

/**
 * Takes what was taken back out of suspense, once: the partner gets it, with the service fee, and its
 * top-up has failed then; the platform keeps it, having settled with the partner or the merchant by
 * other means; or the provider has done it again. Returns undefined when it did, and the reversal as it
 * was settled before, having changed nothing.
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
