import { type Insertable, type Selectable, sql } from 'kysely';
import { isErased } from '../../domain/phone.ts';
import type { MobileMoneyProviderName, Route } from '../../domain/providers.ts';
import type { PayoutFacts } from '../../domain/vouchers/claim.ts';
import type { RedemptionFacts } from '../../domain/vouchers/redemption.ts';
import type { Caller, Company } from '../../domain/vouchers/voucher.ts';
import { isStillAdmitted } from '../access/access.ts';
import { accountWithChecks, type PaidAccount, paidAccount } from '../catalogue/payout-accounts.ts';
import {
  changesRow,
  type Database,
  type DatabaseTransaction,
  firstValue,
  onlyRow,
  type Sql,
} from '../connection.ts';
import { anyDigest } from '../digest-keys.ts';
import type { RedemptionsTable } from '../generated/tables.ts';
import { wrongCodes } from '../limits/attempts.ts';
import {
  type CompanyBudgets,
  companyBudgets,
  type NumberCount,
  withNumberCount,
} from '../limits/daily-limits.ts';
import type { RequestDigest } from '../operations.ts';
import { blockedBy } from '../positions/cases.ts';
import { failoversOf, placing, providerOf, takenAsOf } from '../positions/placements.ts';
import { routesFor } from '../providers.ts';
import { MissingRowError } from '../refused-rows.ts';
import type { LockedVoucher } from './vouchers.ts';

/** The row of a new redemption with the parties of its payee, and the provider that pays it. */
export type NewRedemption = Omit<Insertable<RedemptionsTable>, 'payee'> &
  Pick<Selectable<RedemptionsTable>, 'payee' | 'claim_id'> & {
    readonly provider: MobileMoneyProviderName;
  };

/**
 * Records a redemption before its payment; this freezes its payee. Returns the chosen provider, or the provider that had
 * it before a restore. Where it is found again, the restore lost the rows of an earlier run, which may have sent it.
 *
 * @throws a violation of `numberLimitConstraint` beyond the limit of the owner's number
 */
export async function insertRedemption(
  transaction: DatabaseTransaction,
  { provider, payee, ...row }: NewRedemption,
  /** Counts it for the number of the voucher's owner. */
  count: NumberCount | undefined,
) {
  const { lost, placed } = placing({
    kind: 'payment',
    reference: row.payment_reference,
    provider,
    operationId: row.operation_id,
    voucherId: row.voucher_id,
    ordered: row.to_merchant,
  });
  const { id, lost_at } = await withNumberCount(transaction, count)
    .with('lost', () => lost)
    .with('placed', () => placed)
    .insertInto('redemptions')
    .values({ ...row, payee: JSON.stringify(payee) })
    .returning('id')
    .returning(
      sql<MobileMoneyProviderName | null>`(select provider from lost limit 1)`.as('lost_at'),
    )
    .executeTakeFirstOrThrow();
  return { id, provider: lost_at ?? provider, isFoundAgain: lost_at !== null };
}

/**
 * The attempt of a redemption without a key, which identifies it again after a restore. It is the operation of its
 * claim, or else of its voucher, and the number of its redemption. A claim has one redemption. But once the claim has
 * ended and its key is forgotten, the same operation can make a claim again.
 */
export const attemptWithoutKey = (
  transaction: DatabaseTransaction,
  voucherId: number,
  claimId: string | null,
) =>
  onlyRow<{ readonly operationId: string; readonly attempt: number }>(
    transaction,
    'The redemption has no voucher',
  )`
    select coalesce(claim.operation_id, vouchers.operation_id) as "operationId",
      1 + case when claim.id is null
        then (select count(1) from redemptions where voucher_id = vouchers.id)
        else (select count(1) from voucher_claims as earlier
          -- The index by voucher carries the join.
          join redemptions on redemptions.voucher_id = earlier.voucher_id
            and redemptions.claim_id = earlier.id
          where earlier.operation_id = claim.operation_id and earlier.status <> 'OPEN')
        end as attempt
    from vouchers left join voucher_claims as claim on claim.id = ${claimId}
    where vouchers.id = ${voucherId}`;

/**
 * SQL expression: the redemptions of a voucher that took or hold a part of it. While the voucher
 * has a balance, each redemption took a part.
 */
const partialRedemptions = (voucherId: number) => sql<number>`(
  select count(*)::int from redemptions where voucher_id = ${voucherId} and status <> 'VOIDED')`;

/** A locked redemption. */
export const lockRedemption = (transaction: DatabaseTransaction, operationId: string) =>
  transaction
    .selectFrom('redemptions')
    .innerJoin('vouchers', 'vouchers.id', 'redemptions.voucher_id')
    .innerJoin('merchants', 'merchants.id', 'redemptions.merchant_id')
    .select([
      'redemptions.id',
      'redemptions.to_merchant',
      'redemptions.service_fee',
      'redemptions.platform_reference',
      'redemptions.payment_reference',
      'redemptions.payee',
      providerOf(sql.ref('redemptions.operation_id')).as('provider'),
      'merchants.merchant_name as merchantName',
      'vouchers.serial_number as serialNumber',
    ])
    .where('redemptions.operation_id', '=', operationId)
    // The voucher is locked first, as in every transaction.
    .forNoKeyUpdate(['vouchers', 'redemptions'])
    .executeTakeFirstOrThrow();

/** The payment data of a redemption for the mobile-money provider. */
export const redemptionPayment = (database: Database, operationId: string) =>
  database
    .selectFrom('redemptions')
    .innerJoin('vouchers', 'vouchers.id', 'redemptions.voucher_id')
    .select([
      'redemptions.payment_reference as reference',
      'redemptions.platform_reference',
      'redemptions.to_merchant',
      'redemptions.payee',
      providerOf(sql.ref('redemptions.operation_id'))
        .$castTo<MobileMoneyProviderName>()
        .as('provider'),
      takenAsOf(sql.ref('redemptions.operation_id')).as('takenAs'),
      'vouchers.serial_number',
      paidAccount.as('account'),
      failoversOf(sql.ref('redemptions.operation_id')).as('failovers'),
    ])
    .where('redemptions.operation_id', '=', operationId)
    .executeTakeFirstOrThrow();

/** The redemption that a voucher is held for, by the keyed digests of the voucher's code. */
export const runningRedemption = (database: Database, codeDigests: readonly Buffer[]) =>
  database
    .selectFrom('redemptions')
    .innerJoin('vouchers', 'vouchers.id', 'redemptions.voucher_id')
    .select('redemptions.platform_reference')
    .where('vouchers.code_digest', '=', anyDigest(codeDigests))
    .where('redemptions.status', '=', 'HELD')
    .executeTakeFirst();

/**
 * The redemption on hold with this content, which an identical request without a key joins: it waits for the row, like
 * a repetition with a key. Undefined where there is none.
 */
export const heldByContent = (
  database: Database,
  { company, requestDigest }: RequestDigest & { readonly company: Company },
) =>
  firstValue<string>(database)`
    select operations.id
    from operations join redemptions on redemptions.operation_id = operations.id
    where operations.kind = 'redeem-gift' and operations.company_kind = ${company.kind}
      and operations.company_id = ${company.id} and operations.request_digest = ${requestDigest}
      and operations.status = 'RUNNING' and redemptions.status = 'HELD'`;

/** The facts that a claim and a redemption share, apart from the row of the voucher. */
export interface PayoutContext
  extends Pick<
    PayoutFacts,
    'isAdmitted' | 'partnerIsActive' | 'merchant' | 'partialRedemptions' | 'wrongCodes'
  > {
  /** The party that is paid; null where the merchant is unknown or has no account. */
  readonly party: { readonly key: string; readonly value: string } | null;
  readonly account: PaidAccount;
  /** Of payments for this partner and, where it is known, merchant. */
  readonly routes: readonly Route[];
}

/** The voucher and the caller whose facts are read. */
export interface PayoutRequest {
  readonly voucher: Pick<LockedVoucher, 'id' | 'partner_id'>;
  readonly company: Caller;
  readonly merchantId: number | null;
}

/** Reads these facts with further columns; the transaction must hold the lock of the voucher's row. */
export const payoutContext = <Context extends PayoutContext>(
  transaction: DatabaseTransaction,
  command: 'initiate-claim' | 'redeem-gift',
  { voucher, company, merchantId }: PayoutRequest,
  further: { readonly columns: Sql; readonly joins: Sql },
) =>
  onlyRow<Context>(transaction, 'The voucher has no partner')`
    select ${isStillAdmitted(company, command)} as "isAdmitted",
      partners.status = 'ACTIVE' as "partnerIsActive",
      case when merchants.id is not null then jsonb_build_object(
        'isActive', merchants.status = 'ACTIVE', 'feePercent', merchants.service_fee_percent::text,
        'hasPayoutAccount', account.id is not null) end as merchant,
      case when account.id is not null then jsonb_build_object(
        'key', party_key, 'value', party_value) end as party, ${accountWithChecks} as account,
      ${partialRedemptions(voucher.id)} as "partialRedemptions",
      ${wrongCodes(voucher.id, company)} as "wrongCodes",
      ${routesFor('payout', { partnerId: voucher.partner_id, merchantId })} as routes,
      ${further.columns}
    from partners
    left join merchants on merchants.id = ${merchantId} and merchants.deleted_at is null
    left join merchant_payout_accounts as account
      on account.merchant_id = merchants.id and account.replaced_at is null
    ${further.joins}
    where partners.id = ${voucher.partner_id}`;

/** The facts of a redemption, apart from the row of the voucher. */
export interface RedemptionContext extends PayoutContext, CompanyBudgets {
  readonly merchantName: string | null;
  /** Null unless this company made the live claim and it has not expired. */
  readonly claim:
    | (Omit<NonNullable<RedemptionFacts['claim']>, 'amount'> & {
        readonly id: string;
        /** Decimal string; null is the whole balance. */
        readonly amount: string | null;
      })
    | null;
  /** Our references of payments that could be made twice, as long as their cases are open. */
  readonly blockedBy: readonly string[];
}

/** Reads the facts of a redemption; the transaction must hold the lock of the voucher's row. */
export const redemptionContext = (
  transaction: DatabaseTransaction,
  voucher: Pick<LockedVoucher, 'id' | 'partner_id' | 'current_claim_id'>,
  { company, merchantId }: { readonly company: Caller; readonly merchantId: number },
): Promise<RedemptionContext> =>
  payoutContext(
    transaction,
    'redeem-gift',
    { voucher, company, merchantId },
    {
      columns: sql`merchant_name as "merchantName",
        case when claim.id is not null then jsonb_build_object('id', claim.id,
          'amount', claim.amount::text, 'wasWhole', was_whole,
          'feePercent', claim.service_fee_percent::text, 'codeDigest', claim.code_digest,
          'codeDigits', code_digits) end as claim,
        ${companyBudgets(company)}, ${blockedBy(voucher.id)} as "blockedBy"`,
      joins: sql`left join voucher_claims as claim
        on claim.id = ${voucher.current_claim_id} and claim.status = 'OPEN'
          and claim.expires_at > clock_timestamp()
          and claim.company_kind = ${company.kind} and claim.company_id = ${company.id}`,
    },
  );

/**
 * Moves `taken` from a voucher's remaining balance to its hold; false when its status forbids it.
 */
export const holdVoucher = (transaction: DatabaseTransaction, voucherId: number, taken: string) =>
  transaction
    .updateTable('vouchers')
    .set({
      status: 'REDEEM_PROCESSING',
      remaining: sql<string>`remaining - ${taken}::numeric`,
      held: taken,
    })
    .where('id', '=', voucherId)
    .where('status', 'in', ['ACTIVE', 'REDEEM_INITIATED'])
    .$call(changesRow);

/**
 * Returns the amount of a reversed redemption to a locked voucher, whatever its state. The value of an expired or
 * cancelled one goes to the gift wallet of its partner. So does that of one whose owner's number was erased, because
 * no code could reach the owner. An open claim of the whole balance keeps its terms: it pays the whole of what its
 * owner was told.
 */
export async function growVoucher(
  transaction: DatabaseTransaction,
  { id, status, remaining, current_claim_id: claimId, owner_msisdn: owner }: LockedVoucher,
  amount: string,
): Promise<'voucher' | 'gift'> {
  const hasEnded =
    status === 'EXPIRED' || status === 'CANCELLED' || (owner !== null && isErased(owner));
  if (status === 'REDEEM_INITIATED' && claimId !== null)
    await transaction
      .updateTable('voucher_claims')
      .set({ amount: remaining, was_whole: true })
      .where('id', '=', claimId)
      .where((where) => where('amount', 'is', null).or('amount', '=', remaining))
      .execute();
  const isReturned = await transaction
    .updateTable('vouchers')
    .set(
      hasEnded
        ? { returned: sql<string>`returned + ${amount}::numeric` }
        : {
            remaining: sql<string>`remaining + ${amount}::numeric`,
            ...(status === 'REDEEMED' ? { status: 'ACTIVE' } : {}),
          },
    )
    .where('id', '=', id)
    .$call(changesRow);
  if (!isReturned) throw new MissingRowError('The voucher of a reversal is gone');
  return hasEnded ? 'gift' : 'voucher';
}

/**
 * Takes the amount of a payment that was made late from a locked voucher, or from what its end has returned to the
 * partner.
 *
 * @throws {Error} where the voucher does not have it any more
 */
export async function chargeVoucher(
  transaction: DatabaseTransaction,
  voucherId: number,
  amount: string,
  from: 'voucher' | 'partner',
): Promise<void> {
  const remaining = sql<string>`remaining - ${amount}::numeric`;
  const ofVoucher = transaction.updateTable('vouchers').where('id', '=', voucherId);
  const charged =
    from === 'partner'
      ? ofVoucher.set({ returned: sql<string>`returned - ${amount}::numeric` })
      : ofVoucher
          .set({
            remaining,
            status: sql`case when ${remaining} > 0 then 'ACTIVE' else 'REDEEMED' end`,
          })
          .where('status', '=', 'ACTIVE')
          .where('remaining', '>=', amount);
  if (!(await changesRow(charged))) throw new Error('The voucher does not have its value any more');
}
