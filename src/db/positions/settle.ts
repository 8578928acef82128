import { sql } from 'kysely';
import { formatMoney, type Money } from '../../domain/money.ts';
import {
  type Bearer,
  caseOf,
  difference,
  mayCharge,
  mayCredit,
  settle,
} from '../../domain/positions/position.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';
import { book } from './book.ts';
import { type Case, closeCase } from './cases.ts';
import type { BookSettings } from './change.ts';
import { type LockedOrder, lockOrder } from './orders.ts';

/** How a case is settled. */
export interface SettlementChoice {
  /** Null where nothing is in suspense: the words of the provider are cleared. */
  readonly by: Bearer | null;
  /** Who pays or gets what a restore lost, whose partner our books do not know. */
  readonly partnerId: number | null;
  readonly actor: string;
  readonly note: string;
}

/** Why a case cannot be settled so; undefined where it can. */
export function refuseSettlement(
  found: Pick<Case, 'why' | 'subjectKind' | 'closedAt' | 'voucherId'>,
  order: LockedOrder | undefined,
  by: Bearer | null,
  voucher: { readonly isPayable: boolean } | undefined,
): string | undefined {
  if (found.closedAt !== null) return 'The case is closed: nothing is left to settle.';
  if (found.why === 'unread') return 'It ends when the day is compared: use "reconcile".';
  if (found.why === 'unbooked')
    return 'It ends when the answer is booked: remove the cause in the database.';
  if (order === undefined) return undefined;
  const open = difference(order.position);
  if (open === 0n) return undefined;
  if (by === null) return 'An amount is in suspense: say who bears it.';
  if (by !== 'payer') return undefined;
  if (mayCredit(order.position)) return undefined;
  if (!mayCharge(order.position))
    return 'The payer cannot bear this amount: choose the partner, the platform or the provider.';
  return voucher?.isPayable === false
    ? 'The voucher does not have this value any more, or is claimed: choose the partner, or wait for the end of the claim.'
    : undefined;
}

/**
 * Settles a case of an order, in the transaction of the caller: what its bearer pays or gets is booked, and later words
 * of the provider are booked again. Returns what was in suspense.
 *
 * @throws a violation of `balanceConstraint` when a wallet does not cover it
 */
export async function settleOrder(
  transaction: DatabaseTransaction,
  found: Case,
  { by, partnerId, actor, note }: SettlementChoice,
  settings: BookSettings,
): Promise<Money> {
  const locked = await lockOrder(transaction, found.subject);
  const order = { ...locked, partnerId: locked.partnerId ?? partnerId };
  const open = difference(order.position);
  // The payer of a top-up is the wallet of its partner.
  const bearer =
    by === 'partner' && order.kind === 'top-up' && !order.isLost ? 'payer' : (by ?? 'provider');
  const settled = settle(order.position, bearer, order.now);
  const added = settled.settlements.slice(order.position.settlements.length);
  for (const { by: party, amount } of added)
    await sql`
      insert into settlements (operation_id, party, partner_id, amount, actor, note)
      values (${order.operationId}, ${party}, ${party === 'partner' ? order.partnerId : null}::bigint,
        ${formatMoney(amount)}::numeric, ${actor}, ${note})`.execute(transaction);
  await book(transaction, order, settled, { source: 'person' }, settings);
  if (caseOf(settled, order.now) === undefined)
    await closeCase(transaction, found.id, { actor, note });
  return open;
}

/** Whether the voucher of a payment has its value, and nobody has claimed it. */
export async function hasVoucherValue(database: Database, operationId: string): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    select vouchers.status = 'ACTIVE' and remaining >= to_merchant + service_fee as has
    from redemptions join vouchers on vouchers.id = voucher_id
    where redemptions.operation_id = ${operationId}`.execute(database);
  return rows[0]?.has ?? false;
}
