import { sql } from 'kysely';
import type { StoredNumber } from '../../domain/phone.ts';
import type { VoucherStatus } from '../../domain/voucher.ts';
import type { Database } from '../connection.ts';
import { isVoucherBlocked } from '../positions/cases.ts';

/** What a repair of a voucher, or of its claim, is judged by. */
export interface VoucherFacts {
  readonly id: number;
  readonly serialNumber: string;
  readonly partnerId: number;
  readonly status: VoucherStatus;
  /** The number of its owner; null for one of nobody. */
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
export async function voucherFacts(
  database: Database,
  voucherId: number,
): Promise<VoucherFacts | undefined> {
  const { rows } = await sql<VoucherFacts>`
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
    where vouchers.id = ${voucherId}`.execute(database);
  return rows[0];
}

/**
 * Gives a voucher whose code nobody can have got another owner, who is reminded of its end; what is
 * queued for the one before is not sent. The repair keeps the number before, by which the voucher is found.
 */
export async function correctOwner(
  database: Database,
  { voucherId, repairId }: { readonly voucherId: number; readonly repairId: number },
  number: StoredNumber,
): Promise<void> {
  await sql`
    update repairs set former_msisdn = owner_msisdn from vouchers
    where repairs.id = ${repairId} and vouchers.id = ${voucherId}`.execute(database);
  await database
    .updateTable('messages')
    .set({ status: 'CANCELLED', settled_at: sql<Date>`now()` })
    .where('voucher_id', '=', voucherId)
    .where('status', '=', 'QUEUED')
    .execute();
  await database
    .updateTable('vouchers')
    .set({ owner_msisdn: number, reminded_at: null })
    .where('id', '=', voucherId)
    .execute();
}

/** Moves the end of a voucher; its owner is reminded again before that. */
export async function extendVoucher(
  database: Database,
  voucherId: number,
  expiresAt: Date,
): Promise<void> {
  await database
    .updateTable('vouchers')
    .set({ expires_at: expiresAt, reminded_at: null })
    .where('id', '=', voucherId)
    .execute();
}

/** Gives an open claim at least so many minutes from now; its workflow finds them when its time is over. */
export async function extendClaim(
  database: Database,
  claimId: string,
  minutes: number,
): Promise<void> {
  await sql`
    update voucher_claims
    set expires_at = greatest(expires_at, clock_timestamp() + make_interval(mins => ${minutes}))
    where id = ${claimId} and status = 'OPEN'`.execute(database);
}
