import { sql } from 'kysely';
import { type Money, parseMoney } from '../../domain/money.ts';
import type { Placement } from '../../domain/positions/placement.ts';
import { type Position, type Settlement, suspenseOf } from '../../domain/positions/position.ts';
import {
  type Database,
  type DatabaseTransaction,
  firstRow,
  hasRows,
  type Sql,
} from '../connection.ts';
import { MissingRowError } from '../refused-rows.ts';

/** A row of `placements`. */
export interface PlacementRow extends Placement {
  readonly id: number;
  /** Ours, towards the provider. */
  readonly reference: string;
  /** Milliseconds since 1970, by the clock of the database. */
  readonly placedAt: number;
  /** As PostgreSQL writes it: to change it asks another question. */
  readonly askAt: string | null;
  /** Whether that time has come. */
  readonly isDue: boolean;
}

/** An open case of an order. */
export interface OpenCase {
  readonly id: number;
  /** The operation of the order, also the one under which a restore lost it. */
  readonly subject: string;
  readonly why: string;
}

/** An order whose rows are locked, with everything that decides about it. */
export interface LockedOrder {
  readonly kind: 'payment' | 'top-up';
  /** A restore lost its rows, and its operation in the ledger still names it. */
  readonly isLost: boolean;
  /** The operation that names the order in the ledger. */
  readonly operationId: string;
  /** Ours, towards the providers. */
  readonly reference: string;
  readonly partnerId: number | null;
  readonly merchantId: number | null;
  readonly voucherId: number | null;
  readonly topupId: number | null;
  readonly attempt: number | null;
  readonly status: 'HELD' | 'POSTED' | 'VOIDED';
  /** Milliseconds since 1970, by the clock of the database. */
  readonly now: number;
  readonly settledAt: number | null;
  readonly position: Position<PlacementRow>;
  readonly cases: readonly OpenCase[];
}

/** The operation in the ledger of what a restore lost; it is found again by our reference. */
export const lostOperationId = (reference: string): string => `recovered:${reference}`;

/** Our reference of an operation that a restore lost; undefined for any other. */
const lostReferenceOf = (operationId: string): string | undefined =>
  /^recovered:(.+)$/.exec(operationId)?.[1];

type AsRow<Type> = {
  readonly [Name in keyof Type]: Type[Name] extends Money ? string : Type[Name];
};

interface OrderRow extends Omit<LockedOrder, 'operationId' | 'position' | 'kind' | 'isLost'> {
  readonly fee: string;
  readonly isCharged: boolean;
  readonly creditedTo: 'voucher' | 'gift';
  readonly placements: readonly AsRow<PlacementRow>[];
  readonly settlements: readonly AsRow<Settlement>[];
}

const milliseconds = (time: Sql) => sql`(extract(epoch from ${time}) * 1000)::float8`;

const placementsWhere = (condition: Sql) => sql`(
  select coalesce(jsonb_agg(jsonb_build_object('id', id, 'kind', kind, 'reference', reference, 'provider', provider,
    'placedAt', ${milliseconds(sql`placed_at`)}, 'ordered', ordered::text, 'said', said, 'done', done::text,
    'providerReference', provider_reference, 'saidAt', ${milliseconds(sql`said_at`)}, 'message', message,
    'cleared', cleared, 'doubtedAt', ${milliseconds(sql`doubted_at`)},
    'silentSince', ${milliseconds(sql`silent_since`)}, 'askAt', ask_at::text,
    'isDue', coalesce(ask_at <= clock_timestamp(), false))
    order by position, id), '[]')
  from placements where ${condition}) as placements`;

const settlementsOf = (operations: Sql) => sql`(
  select coalesce(jsonb_agg(jsonb_build_object('by', party, 'amount', amount::text) order by id), '[]')
  from settlements where operation_id in (${operations})) as settlements`;

const casesOf = (operations: Sql) => sql`(
  select coalesce(jsonb_agg(jsonb_build_object('id', id, 'subject', subject, 'why', why)), '[]')
  from cases where subject_kind = 'order' and subject in (${operations}) and closed_at is null) as cases`;

/** The columns of an order that has rows. */
const shared = (operationId: string, reference: Sql) => {
  const operations = sql`${operationId}, 'recovered:' || ${reference}`;
  return sql`charged as "isCharged", ${milliseconds(sql`clock_timestamp()`)} as now,
    ${milliseconds(sql`settled_at`)} as "settledAt",
    ${placementsWhere(sql`placements.operation_id = ${operationId}`)},
    ${settlementsOf(operations)}, ${casesOf(operations)}`;
};

const ofPayment = (operationId: string, lock: Sql) => sql`
  select payment_reference::text as reference, vouchers.partner_id as "partnerId",
    redemptions.merchant_id as "merchantId", voucher_id as "voucherId", null as "topupId",
    null as attempt, redemptions.status, service_fee as fee, credited_to as "creditedTo",
    ${shared(operationId, sql`payment_reference`)}
  from redemptions join vouchers on vouchers.id = voucher_id
  where redemptions.operation_id = ${operationId} ${lock}`;

const ofTopup = (operationId: string, lock: Sql) => sql`
  select try.reference, topups.partner_id as "partnerId", null as "merchantId",
    null as "voucherId", topup_id as "topupId", try.attempt, try.status, '0' as fee,
    'voucher' as "creditedTo", ${shared(operationId, sql`try.reference`)}
  from topup_attempts as try join topups on topups.id = topup_id
  where try.operation_id = ${operationId} ${lock}`;

const ofLost = (operationId: string, reference: string) => sql`
  select ${reference} as reference, (
      select partner_id from settlements where operation_id = ${operationId}
        and partner_id is not null order by id limit 1) as "partnerId",
    null as "merchantId", max(voucher_id) as "voucherId", null as "topupId", null as attempt,
    'VOIDED' as status, '0' as fee, false as "isCharged", 'voucher' as "creditedTo",
    ${milliseconds(sql`clock_timestamp()`)} as now, ${milliseconds(sql`min(placed_at)`)} as "settledAt",
    ${placementsWhere(sql`placements.reference = ${reference} and placements.operation_id is null`)},
    ${settlementsOf(sql`${operationId}`)}, ${casesOf(sql`${operationId}`)}
  from placements as lost where lost.reference = ${reference} and lost.operation_id is null
  having count(*) > 0`;

/** Locks the subject of an order, a top-up or a voucher. Every transaction locks the subject before the order. */
async function lockSubject(
  transaction: DatabaseTransaction,
  operationId: string,
): Promise<OrderSubject> {
  const reference = lostReferenceOf(operationId);
  if (reference !== undefined) {
    await sql`
      select from placements where reference = ${reference} and operation_id is null
      order by id for no key update`.execute(transaction);
    return 'lost';
  }
  const isPayment = await hasRows(transaction)`
    select from vouchers where id = (
      select voucher_id from redemptions where operation_id = ${operationId})
    for no key update`;
  if (isPayment) return 'payment';
  await sql`
    select from topups where id = (
      select topup_id from topup_attempts where operation_id = ${operationId})
    for no key update`.execute(transaction);
  return 'top-up';
}

/**
 * Locks an order until the transaction ends, and reads it.
 *
 * @throws {MissingRowError} where there is none, as after a restore
 */
export async function lockOrder(
  transaction: DatabaseTransaction,
  operationId: string,
): Promise<LockedOrder> {
  const subject = await lockSubject(transaction, operationId);
  return readLockedOrder(transaction, operationId, subject);
}

/**
 * Locks an order and reads it; undefined where there is none. An order that a restore lost stays an order of its own
 * until its request is repeated.
 */
export async function lockOrderIfAny(
  transaction: DatabaseTransaction,
  operationId: string,
): Promise<LockedOrder | undefined> {
  return readAs(transaction, operationId, await lockSubject(transaction, operationId), true);
}

/** The kind of an order. */
type OrderSubject = 'payment' | 'top-up' | 'lost';

/**
 * Locks an order whose subject is locked, and reads it.
 *
 * @throws {MissingRowError} where there is none
 */
export async function readLockedOrder(
  transaction: DatabaseTransaction,
  operationId: string,
  subject: OrderSubject,
): Promise<LockedOrder> {
  const order = await readAs(transaction, operationId, subject, true);
  if (!order) throw new MissingRowError(`There is no order ${operationId}`);
  return order;
}

/** Reads an order as it is at this moment, for people; undefined where there is none. */
export async function readOrder(
  database: Database,
  operationId: string,
): Promise<LockedOrder | undefined> {
  if (lostReferenceOf(operationId) !== undefined) return readAs(database, operationId, 'lost');
  return (
    (await readAs(database, operationId, 'payment')) ?? readAs(database, operationId, 'top-up')
  );
}

async function readAs(
  database: Database,
  operationId: string,
  subject: OrderSubject,
  isLocked = false,
): Promise<LockedOrder | undefined> {
  const lock = (table: Sql) => (isLocked ? sql`for no key update of ${table}` : sql``);
  const statement = {
    payment: () => ofPayment(operationId, lock(sql`redemptions`)),
    'top-up': () => ofTopup(operationId, lock(sql`try`)),
    lost: () => ofLost(operationId, lostReferenceOf(operationId) ?? ''),
  }[subject]();
  const row = await firstRow<OrderRow>(database)`${statement}`;
  return row && orderOf(operationId, subject, row);
}

function orderOf(
  operationId: string,
  subject: OrderSubject,
  { fee, isCharged, creditedTo, placements, settlements, ...row }: OrderRow,
): LockedOrder {
  const isTopup = subject === 'top-up' || placements[0]?.kind === 'top-up';
  const isLost = subject === 'lost';
  const placed = placements.map((one) => ({
    ...one,
    ordered: parseMoney(one.ordered),
    done: parseMoney(one.done),
  }));
  return {
    ...row,
    kind: isTopup ? 'top-up' : 'payment',
    isLost,
    operationId,
    position: {
      order: {
        // Another attempt of the top-up may have another price. An order that a restore lost has none.
        price: isLost ? 0n : currentOf(placed).ordered,
        fee: parseMoney(fee),
        state: row.status === 'HELD' ? 'open' : 'decided',
        isCharged,
        creditedTo: creditedTo === 'gift' ? 'partner' : 'payer',
      },
      placements: placed,
      settlements: settlements.map((one) => ({ ...one, amount: parseMoney(one.amount) })),
    },
  };
}

/** The placement that an order is at by now: the provider that was asked last. */
export const currentOf = (placements: readonly PlacementRow[]): PlacementRow => {
  const current = placements.findLast(({ kind }) => kind !== 'reversal');
  if (!current) throw new MissingRowError('The order has no placement');
  return current;
};

/** The placement whose provider has said something last. */
const lastHeardOf = (placements: readonly PlacementRow[]): PlacementRow =>
  placements.reduce(
    (last, one) => ((one.saidAt ?? 0) > (last.saidAt ?? 0) ? one : last),
    currentOf(placements),
  );

/** The placement that a case is about: it has the largest share in the difference. Without one it was last heard of. */
export function differingOf(order: LockedOrder): PlacementRow {
  const sizes = suspenseOf(order.position).map((share) => (share < 0n ? -share : share));
  const largest = sizes.reduce(
    (found, size, index) => (size > (sizes[found] ?? 0n) ? index : found),
    0,
  );
  const differing = order.position.placements[largest];
  return differing && sizes[largest] !== 0n ? differing : lastHeardOf(order.position.placements);
}

/** "top-up 17, attempt 1", for people. */
export const subjectOfOrder = (order: LockedOrder): string =>
  order.topupId === null
    ? `${order.isLost ? 'lost ' : ''}${order.kind}, our reference ${order.reference}`
    : `top-up ${order.topupId}, attempt ${order.attempt}`;
