import { sql } from 'kysely';
import { formatMoney, type Money, parseMoney } from '../../domain/money.js';
import type { Database, DatabaseTransaction } from '../connection.js';
import type { PartnerAccountKind, PlatformAccountKind } from '../schema/all-tables.js';

type AccountKind = PartnerAccountKind | PlatformAccountKind;

export interface Transfer {
  readonly operationId: string;
  /** Whose accounts `debit` and `credit` name, where they are not the platform's. */
  readonly partnerId: number;
  /** Unique within the operation: repeating a step is refused by the database. */
  readonly step: string;
  readonly debit: AccountKind;
  readonly credit: AccountKind;
  readonly amount: Money;
}

const platformAccounts: readonly string[] = [
  'funding',
  'service-fees',
  'mobile-money-clearing',
  'airtime-clearing',
  'suspense',
] satisfies PlatformAccountKind[];

/** The constraint that a debit beyond the balance violates. */
export const balanceConstraint = 'ledger_accounts_balance_not_negative';

/**
 * Adds transfers between partners' accounts and the platform's (design 4), all in one statement, so
 * that the balances are locked in sorted order. Transfers of zero are left out. The database keeps
 * the balances and refuses to overdraw.
 */
export async function addTransfers(
  transaction: DatabaseTransaction,
  transfers: readonly Transfer[],
): Promise<void> {
  const moving = transfers.filter(({ amount }) => amount !== 0n);
  if (moving.length === 0) return;
  // Of arrays, so that it is one statement for any number of transfers.
  await sql`
    insert into ledger_transfers
      (operation_id, step, debit_account_id, credit_account_id, amount)
    select move.operation_id, move.step, ${accountOf('debit')}, ${accountOf('credit')}, move.amount
    from unnest(${moving.map(({ operationId }) => operationId)}::text[],
        ${moving.map(({ step }) => step)}::text[],
        ${moving.map(({ debit, partnerId }) => ownerOf(debit, partnerId))}::bigint[],
        ${moving.map(({ debit }) => debit)}::text[],
        ${moving.map(({ credit, partnerId }) => ownerOf(credit, partnerId))}::bigint[],
        ${moving.map(({ credit }) => credit)}::text[],
        ${moving.map(({ amount }) => formatMoney(amount))}::numeric[]) with ordinality
      as move (operation_id, step, debit_owner, debit, credit_owner, credit, amount, place)
    order by move.place`.execute(transaction);
}

const ownerOf = (kind: AccountKind, partnerId: number): number | null =>
  platformAccounts.includes(kind) ? null : partnerId;

/** The account on one side of a transfer; of the platform where it has no owner. */
const accountOf = (side: 'debit' | 'credit') => {
  const [owner, kind] = [sql.ref(`move.${side}_owner`), sql.ref(`move.${side}`)];
  return sql`case when ${owner} is null
    then (select id from ledger_accounts where kind = ${kind} and partner_id is null)
    else (select id from ledger_accounts where kind = ${kind} and partner_id = ${owner}) end`;
};

export interface PartnerBalances {
  readonly airtime: string;
  readonly gift: string;
  /** Gifts not yet used, those being redeemed at this moment included. */
  readonly reserved: string;
}

/** A partner's balances as decimal strings (specification 2.10). */
export async function partnerBalances(
  database: Database,
  partnerId: number,
): Promise<PartnerBalances> {
  const rows = await database
    .selectFrom('ledger_accounts')
    .select(['kind', 'balance'])
    .where('partner_id', '=', partnerId)
    .execute();
  const balanceOf = (kind: PartnerAccountKind) =>
    rows.find((row) => row.kind === kind)?.balance ?? '0';
  const reserved = formatMoney(
    parseMoney(balanceOf('reserved')) + parseMoney(balanceOf('gift-hold')),
  );
  return { airtime: balanceOf('airtime'), gift: balanceOf('gift'), reserved };
}
