import { type RawBuilder, sql } from 'kysely';
import type { PaymentCaseKind } from '../../domain/providers/payment-case-kind.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';
import { heldAmount } from '../ledger/holds.ts';
import { type SuspenseCase, subjectOf } from '../ledger/suspense.ts';
import { findStatementCase, listStatementCases } from '../provider-statements/statement-cases.ts';
import {
  type DoubleDelivery,
  findDoubleDelivery,
  listDoubleDeliveries,
} from '../providers/double-delivery-cases.ts';
import { settleDifference } from '../providers/failover-inquiries.ts';
import {
  findRecovered,
  listOpenRecovered,
  type RecoveredPayment,
} from '../recovery/recovered-payments.ts';
import { findLateSuccess, listLateSuccesses } from './late-successes.ts';
import { findReversal, listReversals } from './reversals.ts';

/**
 * A case of one payment or top-up, identified by our reference, and where it is about a first provider, by that, too;
 * or of the statement of a provider: a break by its id, and a statement that was not compared by provider and day.
 */
export interface PaymentCase {
  readonly kind: PaymentCaseKind;
  readonly reference: string;
  /** "top-up 17, attempt 1" */
  readonly subject: string;
  /** Decimal string. */
  readonly amount: string;
  /** Who was asked; null where nobody knows, and where the subject names it. */
  readonly provider: string | null;
  /** Null where a restore took back the rows that say it. */
  readonly partnerId: number | null;
  readonly merchantId?: number | null;
  readonly serialNumber?: string | null;
  readonly topupId?: number | null;
  /** Ours, and the provider's as far as the case has it. */
  readonly references: readonly string[];
  /** For a disagreement: the provider's deviating content. For a break: its type. */
  readonly words: string | null;
}

/** All open cases. */
export async function listOpenCases(database: Database): Promise<PaymentCase[]> {
  const unsettled = { includeSettled: false };
  const late = await listLateSuccesses(database, unsettled);
  const doubles = await listDoubleDeliveries(database, unsettled);
  const reversed = await listReversals(database, unsettled);
  return [
    ...late.map((one) => ofSuspense('late-success', one)),
    ...doubles.map(ofDouble),
    ...reversed.map((one) => ofSuspense('reversal', one)),
    ...(await listOpenRecovered(database)).map(ofRecovered),
    ...(await marked(database, sql`true`)),
    ...(await listStatementCases(database)),
  ];
}

/** One open case; undefined where it is not open. */
export async function findOpenCase(
  database: Database,
  { kind, reference }: Pick<PaymentCase, 'kind' | 'reference'>,
): Promise<PaymentCase | undefined> {
  if (kind === 'late-success' || kind === 'reversal') {
    const find = kind === 'reversal' ? findReversal : findLateSuccess;
    const found = await find(database, reference);
    return found && found.settledAt === null ? ofSuspense(kind, found) : undefined;
  }
  if (isOfFirst(kind, reference)) {
    const found = await findDoubleDelivery(database, reference);
    const open = found && found.settledAt === null ? ofDouble(found) : undefined;
    return open?.kind === kind ? open : undefined;
  }
  if (kind === 'recovered') {
    const found = await findRecovered(database, reference);
    return found && found.settledAt === null ? ofRecovered(found) : undefined;
  }
  if (kind === 'break' || kind === 'statement') return findStatementCase(database, kind, reference);
  const found = await marked(database, sql`kind = ${kind} and reference = ${reference}`);
  return found[0];
}

/** Whether it is about a first provider, whose name stands behind our reference, which has no colon. */
const isOfFirst = (kind: PaymentCaseKind, reference: string): boolean =>
  kind === 'double-delivery' || (kind === 'disagreement' && reference.includes(':'));

const ofDouble = (one: DoubleDelivery): PaymentCase => ({
  ...ofSuspense(one.difference === null ? 'double-delivery' : 'disagreement', one),
  reference: one.name,
  references: [one.reference, one.redemptionReference, one.providerReference].filter(
    (name) => name !== null,
  ),
  words: wordsOf(one),
});

function wordsOf({ difference, isHeld, takenBack }: DoubleDelivery): string | null {
  if (difference !== null)
    return `${difference} It had done nothing, so another provider was asked next.`;
  if (isHeld) return 'It is still on hold, and what it is depends on its outcome.';
  return takenBack && takenBackBy[takenBack];
}

const takenBackBy: Readonly<Record<NonNullable<DoubleDelivery['takenBack']>, string>> = {
  'by-itself':
    'The other one has taken its own back since, which is booked apart (`list reversals`), so it is done once: ' +
    'where it is to stay, settle both with the platform.',
  'on-request':
    'The other one has taken its own back since, because the merchant asked for it, and the voucher has the ' +
    'value again: the merchant has been paid for nothing.',
};

const besideOf = (providers: string | null): string | null =>
  providers &&
  `${providers} has done it, too (\`list double-deliveries\`), so it is done once without this one: where that is ` +
    'to stay, settle both with the platform.';

const ofSuspense = (
  kind: PaymentCase['kind'],
  one: Omit<SuspenseCase, 'settledAccount' | 'doneBeside'> &
    Partial<Pick<SuspenseCase, 'doneBeside'>>,
): PaymentCase => ({
  kind,
  reference: one.reference,
  subject: subjectOf(one),
  amount: one.amount,
  provider: one.provider,
  partnerId: one.partnerId,
  merchantId: one.merchantId,
  serialNumber: one.serialNumber,
  topupId: one.topupId,
  references: [one.reference, one.redemptionReference].filter((name) => name !== null),
  words: besideOf(one.doneBeside ?? null),
});

const ofRecovered = (one: RecoveredPayment): PaymentCase => ({
  kind: 'recovered',
  reference: one.reference,
  subject:
    `${one.kind} from before a restore, ${one.providerStatus} at the provider` +
    (one.merchantName === null ? '' : `, to ${one.merchantName}`) +
    (one.serialNumber === null ? '' : `, voucher ${one.serialNumber}`),
  amount: one.amount,
  provider: one.provider,
  partnerId: null,
  serialNumber: one.serialNumber,
  references: [one.reference, one.providerReference].filter((name) => name !== null),
  words: null,
});

/**
 * Holds that cannot be booked, and operations with deviating content at the provider: few at any
 * time.
 */
async function marked(database: Database, condition: RawBuilder<unknown>): Promise<PaymentCase[]> {
  const kind = sql`case when status = 'HELD' then 'unbooked' else 'disagreement' end as case_kind`;
  const isMarked = sql`(status = 'HELD' and unbooked_since is not null
    or status <> 'HELD' and disagreement is not null)`;
  const { rows } = await sql<PaymentCase>`
    select * from (
      select case_kind as kind, payment_reference::text as reference, 'payment of redemption '
          || platform_reference || ', voucher ' || vouchers.serial_number as subject,
        to_merchant as amount, redemptions.provider, vouchers.partner_id as "partnerId",
        redemptions.merchant_id as "merchantId", serial_number as "serialNumber",
        null::bigint as "topupId",
        array[payment_reference::text, platform_reference] as "references", disagreement as words
      from (
        select payment_reference, platform_reference, voucher_id, to_merchant, provider, merchant_id,
          disagreement, ${kind}
        from redemptions where ${isMarked}) as redemptions
      join vouchers on vouchers.id = voucher_id
      union all
      select case_kind, reference, 'top-up ' || topup_id || ', attempt ' || try.attempt,
        ${heldAmount(sql`try.operation_id`)}, try.provider, topups.partner_id, null, null, topup_id, array[reference], disagreement
      from (
        select reference, topup_id, attempt, operation_id, provider, disagreement, ${kind}
        from topup_attempts where ${isMarked}) as try
      join topups on topups.id = topup_id
    ) as marked
    where ${condition} order by reference`.execute(database);
  return rows;
}

/** Records that a decision of the provider cannot be booked, which raises a case. */
export async function noteUnbooked(
  database: Database,
  kind: 'redemption' | 'topup',
  operationId: string,
): Promise<void> {
  const table = sql.table(kind === 'redemption' ? 'redemptions' : 'topup_attempts');
  await sql`
    update ${table} set unbooked_since = coalesce(unbooked_since, now())
    where operation_id = ${operationId} and status = 'HELD'`.execute(database);
}

/** Closes a disagreement with a provider; the inquiries about it end. */
export async function endDisagreement(
  transaction: DatabaseTransaction,
  reference: string,
): Promise<void> {
  const first = await findDoubleDelivery(transaction, reference);
  if (first) return settleDifference(transaction, first);
  for (const [table, column] of [
    ['redemptions', sql`payment_reference::text`],
    ['topup_attempts', sql`reference`],
  ] as const) {
    await sql`
      update ${sql.table(table)} set disagreement = null, doubted_since = null, recheck_at = null
      where ${column} = ${reference} and disagreement is not null and status <> 'HELD'
    `.execute(transaction);
  }
}
