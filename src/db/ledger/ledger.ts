import { sql } from 'kysely';
import { formatMoney, type Money, parseMoney } from '../../domain/money.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';
import type { PartnerAccountKind, PlatformAccountKind } from '../schema/all-tables.ts';

type AccountKind = PartnerAccountKind | PlatformAccountKind;

export interface Transfer {
  readonly operationId: string;
  /** The owner of the accounts in `debit` and `credit`, unless they are the platform's. */
  readonly partnerId: number;
  /** Unique within the operation: the database refuses to repeat a step. */
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
 * Adds transfers between accounts of partners and the platform (design 4), in one statement that
 * locks the balances in sorted order. Transfers of zero are omitted. Triggers maintain the balances
 * and refuse overdrafts.
 */
export async function addTransfers(
  transaction: DatabaseTransaction,
  transfers: readonly Transfer[],
): Promise<void> {
  const moving = transfers.filter(({ amount }) => amount !== 0n);
  if (moving.length === 0) return;
  // Arrays allow one statement for any number of transfers.
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

/** The account on one side of a transfer; the platform's where it has no owner. */
const accountOf = (side: 'debit' | 'credit') => {
  const [owner, kind] = [sql.ref(`move.${side}_owner`), sql.ref(`move.${side}`)];
  return sql`case when ${owner} is null
    then (select id from ledger_accounts where kind = ${kind} and partner_id is null)
    else (select id from ledger_accounts where kind = ${kind} and partner_id = ${owner}) end`;
};

/**
 * SQL condition on `ledger_transfers`: the operation has this reference, in whichever case. As the index of each
 * kind has it.
 */
export const isNamed = (kind: 'deposit' | 'goodwill', reference: string) =>
  sql<boolean>`(operation_id like ${sql.lit(`${kind}:%`)}
    and upper(operation_id) = upper(${`${kind}:${reference}`}))`;

export interface PartnerBalances {
  readonly airtime: string;
  readonly gift: string;
  /** Unused gifts, including those in redemption. */
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
