import { sql } from 'kysely';
import type { Operator, StoredNumber } from '../../domain/phone.ts';
import type { MobileMoneyProviderName, Route } from '../../domain/providers.ts';
import type { TopupStatus } from '../../domain/topup.ts';
import type { ReversedPayment } from '../../domain/vouchers/redemption.ts';
import type { VoucherStatus } from '../../domain/vouchers/voucher.ts';
import { allValues, type Database, firstRow, updateRow } from '../connection.ts';
import { cancelQueuedMessages } from '../messages/messages.ts';
import { isVoucherBlocked, oldestOpenCase } from '../positions/cases.ts';
import { doerOf, providerReferenceOf } from '../positions/placements.ts';
import { routesOfTopup } from '../providers.ts';
import { amountOfRetry } from '../topups/topups.ts';
import { hasReversal, isReturnable, isReversed, toldReversals } from '../vouchers/reversals.ts';

/** The facts for a repair of a redemption's payment. */
export interface PaymentFacts extends ReversedPayment {
  readonly id: number;
  readonly operationId: string;
  /** Our reference for people. */
  readonly reference: string;
  readonly status: 'HELD' | 'POSTED' | 'VOIDED';
  readonly providerReference: string | null;
  /** The provider that paid, or has the payment. */
  readonly provider: MobileMoneyProviderName | null;
  /** The references under which its provider has told of the reversal that is under way. */
  readonly toldReversals: readonly string[];
  /** Decimal string: with the service fee. */
  readonly amount: string;
  readonly voucherId: number;
  readonly serialNumber: string;
  readonly partnerId: number;
  readonly merchantId: number;
}

/** Reads the facts of a redemption; undefined where there is none. */
export const paymentFacts = (database: Database, redemptionId: number) =>
  firstRow<PaymentFacts>(database)`
    select redemption.id, redemption.operation_id as "operationId",
      platform_reference as reference, redemption.status, is_done as "isPaid",
      ${isReturnable} as "isReturnable",
      ${providerReferenceOf(sql`redemption.operation_id`)} as "providerReference",
      ${doerOf(sql`redemption.operation_id`)} as provider, (to_merchant + service_fee)::text as amount,
      voucher_id as "voucherId", serial_number as "serialNumber", vouchers.partner_id as "partnerId",
      redemption.merchant_id as "merchantId",
      coalesce(extract(epoch from clock_timestamp() - settled_at), 0)::float8
        as "secondsSincePayment", ${isReversed} as "isReversed",
      (select operation_id from redemption_reversals
        where redemption_id = redemption.id and status = 'PENDING') as "pendingReversal",
      ${toldReversals} as "toldReversals",
      ${oldestOpenCase(sql`found.subject = redemption.operation_id`)} as "caseId"
    from redemptions as redemption join vouchers on vouchers.id = voucher_id
    where redemption.id = ${redemptionId}`;

/** The redemption with this id, or with our reference of it; undefined where there is none. */
export async function redemptionIdOf(
  database: Database,
  name: string,
): Promise<string | undefined> {
  const row = await database
    .selectFrom('redemptions')
    .select('id')
    .where((where) =>
      where.or([
        where('platform_reference', '=', name),
        where('id', '=', /^[0-9]{1,15}$/.test(name) ? Number(name) : 0),
      ]),
    )
    .executeTakeFirst();
  return row && String(row.id);
}

/** The facts for a repair of a top-up. */
export interface TopupFactsForRepair {
  readonly id: number;
  readonly partnerId: number;
  readonly workflowId: string;
  readonly status: TopupStatus;
  readonly attempt: number;
  /** Of the last attempt. */
  readonly msisdn: StoredNumber;
  /** Of the last attempt; null where there was none. */
  readonly operator: Operator | null;
  /** The routes of top-ups of this kind, for the partner. */
  readonly routes: readonly Route[];
  /**
   * Decimal string: what is on hold or was, and after a failure what another attempt costs. Null for a
   * package that was never held and is gone.
   */
  readonly amount: string | null;
  /** The open case of one of its attempts; null where there is none. */
  readonly caseId: number | null;
  /** The operation of the attempt on hold, and the provider that has it; null where none is. */
  readonly heldOperationId: string | null;
  readonly provider: string | null;
  /** Whether a person has settled an attempt as not delivered, or is doing so now. */
  readonly wasSettledByHand: boolean;
}

/** Reads the facts of a top-up; undefined where there is none. */
export const topupFactsForRepair = (database: Database, topupId: number) =>
  firstRow<TopupFactsForRepair>(database)`
    select topups.id, partner_id as "partnerId", workflow_id as "workflowId", status, attempt, msisdn, operator,
      case when status = 'FAILED' then ${amountOfRetry} else amount end as amount,
      ${routesOfTopup} as routes,
      ${oldestOpenCase(sql`found.topup_id = topups.id and found.why <> 'unbooked'`)} as "caseId",
      held_id as "heldOperationId", ${doerOf(sql`held_id`)} as provider,
      exists (select from repairs where repairs.topup_id = topups.id and kind = 'settle-top-up'
        and state in ('RUNNING', 'DONE') and arguments ->> 'outcome' = 'not-done')
        as "wasSettledByHand"
    from topups left join lateral (
      select operation_id as held_id from topup_attempts
      where topup_id = topups.id and topup_attempts.status = 'HELD') as held on true
    where topups.id = ${topupId}`;

const tables = {
  redemption: 'redemptions',
  topup: 'topup_attempts',
  reversal: 'redemption_reversals',
} as const;

/** The booked end of an operation, in the words of a settlement by hand; undefined while it is open. */
export async function bookedEnd(
  database: Database,
  kind: keyof typeof tables,
  operationId: string,
): Promise<'done' | 'not-done' | undefined> {
  const { status } = await database
    .selectFrom(tables[kind])
    .select('status')
    .where('operation_id', '=', operationId)
    .executeTakeFirstOrThrow();
  if (status === 'HELD' || status === 'PENDING') return undefined;
  return status === 'POSTED' || status === 'SUCCESS' ? 'done' : 'not-done';
}

/** The redemptions of a voucher that a repair can be about, by their ids: the newest, and those that are under way. */
export const redemptionsOfVoucher = (database: Database, voucherId: number) =>
  allValues<number>(database)`
    select id from redemptions as redemption
    where voucher_id = ${voucherId} and (status = 'HELD' or ${hasReversal('PENDING')} or id in (
      select id from redemptions where voucher_id = ${voucherId} order by id desc limit 10))
    order by id desc`;

/** The facts for a repair of a voucher, or of its claim. */
export interface VoucherFacts {
  readonly id: number;
  readonly serialNumber: string;
  readonly partnerId: number;
  readonly status: VoucherStatus;
  /** The number of its owner; null for an anonymous voucher. */
  readonly owner: StoredNumber | null;
  /** Whether it was claimed, ever, and the SMS provider did not certainly refuse the code. */
  readonly mayHaveCode: boolean;
  /** Decimal string: its value, also that on hold. */
  readonly value: string;
  readonly expiresAt: Date;
  /** Its open claim; null where there is none. */
  readonly claimId: string | null;
  /** Whether the time of its claim is over. */
  readonly isClaimOver: boolean;
  /** Whether there is a message that its owner may miss. */
  readonly hasMessage: boolean;
  /** A payment of it could be made twice, as long as its case is open. */
  readonly isBlocked: boolean;
}

/** Reads the facts of a voucher; undefined where there is none. */
export const readVoucherFacts = (database: Database, voucherId: number) =>
  firstRow<VoucherFacts>(database)`
    select vouchers.id, serial_number as "serialNumber", partner_id as "partnerId",
      vouchers.status, owner_msisdn as owner,
      exists (select from voucher_claims as made where made.voucher_id = vouchers.id
        and (made.status = 'OPEN' or not exists (
          select from messages left join message_resends as resend on resend.message_id = messages.id
            left join messages as original on original.id = resend.original_id
          where messages.voucher_id = vouchers.id
            and coalesce(messages.claim_id, original.claim_id) = made.id
          having bool_and(messages.status = 'REFUSED'))))
        as "mayHaveCode",
      (remaining + held)::text as value, vouchers.expires_at as "expiresAt",
      claim.id as "claimId",
      coalesce(claim.expires_at <= clock_timestamp(), false) as "isClaimOver",
      claim.id is not null or exists (
        select from redemptions join messages on messages.redemption_id = redemptions.id
        where redemptions.voucher_id = vouchers.id and redemptions.status = 'POSTED'
          and is_done and messages.status <> 'SENT') as "hasMessage",
      ${isVoucherBlocked(sql`vouchers.id`)} as "isBlocked"
    from vouchers
    left join voucher_claims as claim on claim.id = current_claim_id and claim.status = 'OPEN'
    where vouchers.id = ${voucherId}`;

/**
 * Gives a voucher another owner, while no owner can have got a code. The new owner is reminded of
 * its end, and queued messages to the former owner are not sent. The repair keeps the number
 * before, by which the voucher is found.
 */
export async function correctOwner(
  database: Database,
  { voucherId, repairId }: { readonly voucherId: number; readonly repairId: number },
  number: StoredNumber,
): Promise<void> {
  await sql`
    update repairs set former_msisdn = owner_msisdn from vouchers
    where repairs.id = ${repairId} and vouchers.id = ${voucherId}`.execute(database);
  await cancelQueuedMessages(database, 'voucher_id', voucherId);
  await updateRow(database, 'vouchers', voucherId, { owner_msisdn: number, reminded_at: null });
}

/** Moves the end of a voucher; its owner is reminded again before that. */
export const extendVoucherUntil = (database: Database, voucherId: number, expiresAt: Date) =>
  updateRow(database, 'vouchers', voucherId, { expires_at: expiresAt, reminded_at: null });

/** Gives an open claim at least so many minutes from now; its workflow finds them when its time is over. */
export async function extendClaimBy(
  database: Database,
  claimId: string,
  minutes: number,
): Promise<void> {
  await sql`
    update voucher_claims
    set expires_at = greatest(expires_at, clock_timestamp() + make_interval(mins => ${minutes}))
    where id = ${claimId} and status = 'OPEN'`.execute(database);
}
