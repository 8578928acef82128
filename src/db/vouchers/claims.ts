import { type Insertable, type Selectable, sql } from 'kysely';
import type { PayoutFacts } from '../../domain/vouchers/claim.ts';
import {
  allValues,
  changedRows,
  changesRow,
  type Database,
  type DatabaseTransaction,
  hasRows,
  type Sql,
} from '../connection.ts';
import type { VoucherClaimsTable } from '../generated/tables.ts';
import {
  type CountedMessages,
  countedMessages,
  mayHaveArrived,
  messageCounts,
} from '../messages/messages.ts';
import { isClaimBlocked } from '../positions/cases.ts';
import { isAmong, type RowStep, type Rows } from '../refused-rows.ts';
import { type PayoutContext, type PayoutRequest, payoutContext } from './redemptions.ts';

/** The row of a new claim, and how long the claim lasts from now on. */
type NewClaim = Omit<Insertable<VoucherClaimsTable>, 'expires_at'> &
  Pick<Selectable<VoucherClaimsTable>, 'amount' | 'service_fee_percent' | 'code_ciphertext'> & {
    readonly lifetimeSeconds: number;
  };

/** A claim with labels for support staff. */
export type InsertedClaim = Awaited<ReturnType<typeof insertClaim>>;

/** The claiming merchant, or the merchant of the voucher. */
const merchantName = sql<string | null>`(
  select merchant_name from merchants
  where id = case when company_kind = 'merchant' then company_id
    else (select merchant_id from vouchers where vouchers.id = voucher_id) end)`.as(
  'merchant_name',
);

/**
 * The newest claim that an operation made on a voucher, also where a newer claim of another operation has replaced it
 * or its code was used since. Undefined where it made none. A claim that expired or was withdrawn counts only where its
 * operation is answered: otherwise the operation makes another one. An earlier claim belongs to an earlier use of its
 * key.
 */
export async function claimMadeBy(
  transaction: DatabaseTransaction,
  { operationId, voucherId }: { readonly operationId: string; readonly voucherId: number },
  isAnswered: boolean,
): Promise<InsertedClaim | undefined> {
  const newest = await transaction
    .selectFrom('voucher_claims')
    .select(['id', 'expires_at', 'status', merchantName])
    // The index by voucher carries the query.
    .where('voucher_id', '=', voucherId)
    .where('operation_id', '=', operationId)
    .orderBy('created_at', 'desc')
    .executeTakeFirst();
  const hasEnded = newest?.status === 'EXPIRED' || newest?.status === 'CANCELLED';
  return hasEnded && !isAnswered ? undefined : newest;
}

/** Inserts a claim with the digest of its code, and the ciphertext of the code for the message. */
export const insertClaim = (
  transaction: DatabaseTransaction,
  { lifetimeSeconds, ...claim }: NewClaim,
) =>
  transaction
    .insertInto('voucher_claims')
    .values({
      ...claim,
      expires_at: sql<Date>`clock_timestamp() + make_interval(secs => ${lifetimeSeconds})`,
    })
    .returning(['id', 'expires_at', merchantName])
    .executeTakeFirstOrThrow();

type ClaimEnd = Exclude<Selectable<VoucherClaimsTable>['status'], 'OPEN'>;

/**
 * Ends a claim, erases its code and cancels its unsent message; false when the claim had already
 * ended.
 */
export const endClaim = (transaction: DatabaseTransaction, claimId: string, status: ClaimEnd) =>
  hasRows(transaction)`
    with ${claimEnd(sql`${claimId}`, status)}
    select id from ended`;

/** Parts of a statement: `ended` is the claim that it ends. */
const claimEnd = (claimId: Sql, status: ClaimEnd) => sql`
  ended as (
    update voucher_claims set status = ${status}, code_ciphertext = null
    where id = ${claimId} and status = 'OPEN'
    returning id
  ), ${cancelledMessages(sql`select id from ended`)}`;

/** Part of a statement: cancels the queued messages of the claims that it ends. */
const cancelledMessages = (claimIds: Sql) => sql`cancelled as (
  update messages set status = 'CANCELLED', settled_at = now()
  where claim_id = any(array(${claimIds})) and status = 'QUEUED')`;

/** Points the voucher to its new claim; false when its status does not allow a claim (5002). */
export const startClaim = (transaction: DatabaseTransaction, voucherId: number, claimId: string) =>
  transaction
    .updateTable('vouchers')
    .set({ status: 'REDEEM_INITIATED', current_claim_id: claimId })
    .where('id', '=', voucherId)
    .where('status', 'in', ['ACTIVE', 'REDEEM_INITIATED'])
    .$call(changesRow);

/** Returns a voucher to ACTIVE if this claim is its live one and nothing is on hold. */
export const releaseClaimedVoucher = (transaction: DatabaseTransaction, claimId: string) =>
  transaction
    .updateTable('vouchers')
    .set({ status: 'ACTIVE', current_claim_id: null })
    .where('current_claim_id', '=', claimId)
    .where('status', '=', 'REDEEM_INITIATED')
    .$call(changesRow);

/**
 * Ends the hold of a voucher and its claim: spent if the merchant was paid, else returned to its balance. Every post
 * and void must match a hold of the voucher.
 */
export async function releaseVoucher(
  transaction: DatabaseTransaction,
  voucherId: number,
  outcome: 'spent' | 'returned',
): Promise<void> {
  const [claimStatus, remaining] =
    outcome === 'spent'
      ? (['REDEEMED', sql`remaining`] as const)
      : (['REFUSED', sql`remaining + held`] as const);
  const claimId = sql`(select current_claim_id from vouchers where id = ${voucherId})`;
  const isReleased = await hasRows(transaction)`
    with ${claimEnd(claimId, claimStatus)}
    update vouchers set status = case when ${remaining} > 0 then 'ACTIVE' else 'REDEEMED' end,
      remaining = ${remaining}, held = 0, current_claim_id = null
    where id = ${voucherId} and status = 'REDEEM_PROCESSING'
    returning id`;
  if (!isReleased) throw new Error('The voucher is not on hold');
}

/** An expiry run ends a claim so long after its time. Its own workflow would have done so by then. */
const OVERDUE = sql`interval '1 minute'`;

const overdueClaims = (batchSize: number, rows: Rows<string>) => sql`
  select voucher_claims.id as claim_id, vouchers.id as voucher_id
  from voucher_claims
  join vouchers on vouchers.current_claim_id = voucher_claims.id
  where voucher_claims.status = 'OPEN' and vouchers.status = 'REDEEM_INITIATED'
    and voucher_claims.expires_at < (select clock_timestamp() - ${OVERDUE})
    and ${isAmong('voucher_claims.id', rows, 'text')}
  order by vouchers.id limit ${batchSize}`;

/**
 * Expires overdue claims, such as those of a terminated workflow: the vouchers become ACTIVE
 * again, and unsent codes are cancelled. Returns the number.
 */
export const expireOverdueClaims = (
  transaction: DatabaseTransaction,
  batchSize: number,
  among: Rows<string> = { except: [] },
) =>
  changedRows(transaction)`
    with overdue as (
      ${overdueClaims(batchSize, among)} for no key update of vouchers skip locked
    ), released as (
      update vouchers set status = 'ACTIVE', current_claim_id = null
      from overdue where vouchers.id = overdue.voucher_id
    ), ${cancelledMessages(sql`select claim_id from overdue`)}
    update voucher_claims set status = 'EXPIRED', code_ciphertext = null
    from overdue where voucher_claims.id = overdue.claim_id`;

/** Expires overdue claims, up to `batchSize` in a transaction. */
export const overdueClaimsStep = (database: Database, batchSize: number): RowStep<string> => ({
  end: (rows) =>
    database
      .transaction()
      .execute((transaction) => expireOverdueClaims(transaction, batchSize, rows)),
  listDue: (among) => allValues<string>(database)`${overdueClaims(batchSize, among)}`,
});

/** The state of a claim by the database's clock. */
export const claimExpiry = (transaction: DatabaseTransaction, claimId: string) =>
  transaction
    .selectFrom('voucher_claims')
    .innerJoin('vouchers', 'vouchers.id', 'voucher_claims.voucher_id')
    .select([
      'voucher_claims.voucher_id',
      'voucher_claims.status',
      'vouchers.status as voucher_status',
    ])
    .select(
      sql<number>`ceil(extract(epoch from voucher_claims.expires_at - clock_timestamp()) * 1000)
        ::float8`.as('remaining_ms'),
    )
    .where('voucher_claims.id', '=', claimId)
    .executeTakeFirstOrThrow();

/** The facts of a claim, apart from the row of the voucher. */
export interface ClaimContext
  extends PayoutContext,
    CountedMessages,
    Pick<PayoutFacts, 'isBlocked'> {}

/** Reads the facts of a claim; the transaction must hold the locks of voucher and number. */
export const claimContext = (
  transaction: DatabaseTransaction,
  voucher: PayoutRequest['voucher'] & {
    /** Of the owner's number; undefined without an owner. */
    readonly numberHash: string | undefined;
  },
  { company, merchantId }: Omit<PayoutRequest, 'voucher'>,
): Promise<ClaimContext> =>
  payoutContext(
    transaction,
    'initiate-claim',
    { voucher, company, merchantId },
    {
      columns: sql`${isClaimBlocked(voucher.id)} as "isBlocked", ${countedMessages(company)},
        (select extract(epoch from clock_timestamp() - max(created_at))::float8 from messages
          where voucher_id = ${voucher.id} and kind = 'VERIFICATION_CODE'
            and ${mayHaveArrived}) as "secondsSinceMessage"`,
      joins: sql`cross join (${messageCounts(voucher.numberHash)}) as numbers`,
    },
  );

export type EndedClaim = Awaited<ReturnType<typeof endedClaim>>;

/**
 * Ends the live claim of a voucher, if there is one, because a new one replaces it or the voucher is
 * cancelled. Returns the operation and the workflow of the ended claim.
 */
export async function endLiveClaim(
  transaction: DatabaseTransaction,
  claimId: string | null,
  status: 'SUPERSEDED' | 'CANCELLED',
): Promise<EndedClaim | null> {
  if (claimId === null) return null;
  await endClaim(transaction, claimId, status);
  return endedClaim(transaction, claimId);
}

const endedClaims = (transaction: DatabaseTransaction) =>
  transaction
    .selectFrom('voucher_claims')
    .select(['operation_id as operationId', 'workflow_id as workflowId'])
    .where('status', '<>', 'OPEN');

/** An ended claim. */
export const endedClaim = (transaction: DatabaseTransaction, claimId: string) =>
  endedClaims(transaction).where('id', '=', claimId).executeTakeFirstOrThrow();

/**
 * The claim of a voucher that ended last in this way, before another claim or as the last one; null where
 * there is none. A step that is repeated names it once more, because its workflow may not know its end.
 */
export async function lastEndedClaim(
  transaction: DatabaseTransaction,
  ended: {
    readonly voucherId: number;
    readonly status: 'SUPERSEDED' | 'CANCELLED';
    /** The id of the claim that came next. */
    readonly before?: string;
  },
): Promise<EndedClaim | null> {
  const { voucherId, status, before } = ended;
  let claims = endedClaims(transaction)
    .where('voucher_id', '=', voucherId)
    .where('status', '=', status);
  if (before !== undefined)
    claims = claims.where('created_at', '<', ({ selectFrom }) =>
      selectFrom('voucher_claims').select('created_at').where('id', '=', before),
    );
  return (await claims.orderBy('created_at', 'desc').limit(1).executeTakeFirst()) ?? null;
}
