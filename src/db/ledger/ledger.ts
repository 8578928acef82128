import { sql } from 'kysely';
import { formatMoney, type Money, parseMoney } from '../../domain/money.ts';
import { GOODWILL } from '../../domain/statements.ts';
import { ledgerSumsEnd } from '../books/sums.ts';
import {
  allRows,
  type Database,
  type DatabaseTransaction,
  firstRow,
  inSnapshot,
  lockName,
  onlyRow,
} from '../connection.ts';
import type { LedgerAccountsTable } from '../generated/tables.ts';
import { givenRows } from '../given-rows.ts';
import { archivedEntries, hasNoKeptSum, transferSources } from './archives.ts';
import { readArchivedOperations } from './read-archives.ts';

type AccountKind = LedgerAccountsTable['kind'];
type PlatformAccountKind = Exclude<AccountKind, PartnerAccountKind>;
type PartnerAccountKind = Extract<
  AccountKind,
  'airtime' | 'gift' | 'reserved' | 'gift-hold' | 'airtime-hold'
>;

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
 * Adds transfers between accounts of partners and the platform, in one statement that
 * locks the balances in sorted order. Transfers of zero are omitted. Triggers maintain the balances
 * and refuse overdrafts.
 */
export async function addTransfers(
  transaction: DatabaseTransaction,
  transfers: readonly Transfer[],
): Promise<void> {
  const moving = transfers.filter(({ amount }) => amount !== 0n);
  if (moving.length === 0) return;
  const rows = moving.map(({ operationId, partnerId, step, debit, credit, amount }) => ({
    operation_id: operationId,
    step,
    debit_owner: ownerOf(debit, partnerId),
    debit,
    credit_owner: ownerOf(credit, partnerId),
    credit,
    amount: formatMoney(amount),
  }));
  await sql`
    insert into ledger_transfers
      (operation_id, step, debit_account_id, credit_account_id, amount)
    select operation_id, step, ${accountOf('debit')}, ${accountOf('credit')}, amount
    from ${givenRows(transferColumns, rows)}
    order by place`.execute(transaction);
}

const transferColumns = {
  operation_id: 'text',
  step: 'text',
  debit_owner: 'bigint',
  debit: 'text',
  credit_owner: 'bigint',
  credit: 'text',
  amount: 'numeric',
} as const;

const ownerOf = (kind: AccountKind, partnerId: number): number | null =>
  platformAccounts.includes(kind) ? null : partnerId;

/** The account on one side of a transfer; the platform's where it has no owner. */
const accountOf = (side: 'debit' | 'credit') => {
  const [owner, kind] = [sql.ref(`given.${side}_owner`), sql.ref(`given.${side}`)];
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

interface PartnerBalances {
  readonly airtime: string;
  readonly gift: string;
  /** Unused gifts, including those in redemption. */
  readonly reserved: string;
  /** The thresholds below which a wallet is low; null for none. */
  readonly low: Readonly<Record<LowBalance['wallet'], string | null>>;
}

/** A partner's balances as decimal strings (specification 2.10). */
export async function partnerBalances(
  database: Database,
  partnerId: number,
): Promise<PartnerBalances> {
  const rows = await database
    .selectFrom('ledger_accounts')
    .select(['kind', 'balance', 'low_balance as low'])
    .where('partner_id', '=', partnerId)
    .execute();
  const account = (kind: PartnerAccountKind) => {
    const { balance, low = null } = rows.find((row) => row.kind === kind) ?? {};
    return { balance: balance ?? '0', low };
  };
  const [airtime, gift] = [account('airtime'), account('gift')];
  const unused = parseMoney(account('reserved').balance) + parseMoney(account('gift-hold').balance);
  return {
    airtime: airtime.balance,
    gift: gift.balance,
    reserved: formatMoney(unused),
    low: { gift: gift.low, airtime: airtime.low },
  };
}

/** A hold of an operation on an account of a partner. Its end has the same amount. */
interface Hold {
  readonly operationId: string;
  readonly partnerId: number;
  readonly amount: Money;
}

/**
 * Holds the money of a top-up: airtime → airtime-hold.
 *
 * @throws a violation of `balanceConstraint` when the wallet does not cover it
 */
export const holdAirtime = (transaction: DatabaseTransaction, hold: Hold) =>
  addTransfers(transaction, [{ ...hold, step: 'hold', debit: 'airtime', credit: 'airtime-hold' }]);

/**
 * Holds the money of a redemption: reserved → gift-hold.
 *
 * @throws a violation of `balanceConstraint` when the reserve of the vouchers does not cover it
 */
export const holdReserve = (transaction: DatabaseTransaction, hold: Hold) =>
  addTransfers(transaction, [{ ...hold, step: 'hold', debit: 'reserved', credit: 'gift-hold' }]);

/** Returns what remains of vouchers that expired or were cancelled: reserved → gift. */
export const returnReserve = (transaction: DatabaseTransaction, returned: readonly Hold[]) =>
  addTransfers(
    transaction,
    returned.map(
      (hold): Transfer => ({ ...hold, step: 'return', debit: 'reserved', credit: 'gift' }),
    ),
  );

/** Transfers that are added to the checked sum: more than come between two checks of the books. */
const MOST_NEW = 1_000_000;

/**
 * The balance of the service fees: the sum that the check of the books keeps, and the transfers after its
 * checkpoint. An account of the platform has no balance of its own, which every redemption would lock.
 * Undefined where more is new than may be read, as after the sums were begun again.
 */
export async function serviceFeesBalance(
  database: Database,
  mostNew = MOST_NEW,
): Promise<Money | undefined> {
  // One statement, because the check moves sum and checkpoint together.
  const row = await firstRow<{ balance: string; count: number }>(database)`
    with account as (
      select id from ledger_accounts where kind = 'service-fees' and partner_id is null)
    select count(*) as count,
      (coalesce((select amount from checked_balances
          where account_id = (select id from account)), 0)
        + coalesce(sum(amount) filter (where credit_account_id = (select id from account)
          and ${hasNoKeptSum}), 0)
        - coalesce(sum(amount) filter (where debit_account_id = (select id from account)
          and ${hasNoKeptSum}), 0)
      )::text as balance
    from (
      select created_at, step, debit_account_id, credit_account_id, amount from ledger_transfers
      where id > ${ledgerSumsEnd}
      order by id limit ${mostNew + 1}) as newer`;
  return row && row.count <= mostNew ? parseMoney(row.balance) : undefined;
}

/** The ledger's operation of a goodwill credit. */
const operationOf = (reference: string) => `goodwill:${reference}`;

/**
 * Lets goodwill credits be judged one after another, so that two neither spend the same fees nor have the
 * same reference.
 */
export const lockGoodwill = (transaction: DatabaseTransaction) => lockName(transaction, 'goodwill');

/**
 * The goodwill credit of any partner with this reference in any case: a ticket that two people
 * write differently is one ticket. Undefined where there is none.
 */
export async function findGoodwill(
  transaction: DatabaseTransaction,
  reference: string,
): Promise<string | undefined> {
  const found = await transaction
    .selectFrom('ledger_transfers')
    .select('operation_id')
    .where(isNamed('goodwill', reference))
    .where('step', '=', GOODWILL)
    .executeTakeFirst();
  return found?.operation_id.slice(operationOf('').length);
}

/**
 * Credits a wallet out of the platform's service fees: service-fees → wallet. The ledger refuses to
 * repeat a reference.
 */
export const creditGoodwill = (
  transaction: DatabaseTransaction,
  credit: {
    readonly partnerId: number;
    readonly wallet: 'gift' | 'airtime';
    readonly amount: Money;
    readonly reference: string;
  },
) =>
  addTransfers(transaction, [
    {
      operationId: operationOf(credit.reference),
      partnerId: credit.partnerId,
      step: GOODWILL,
      debit: 'service-fees',
      credit: credit.wallet,
      amount: credit.amount,
    },
  ]);

/** The threshold of a wallet below which its partner is told; null for none. */
interface LowBalance {
  readonly partnerId: number;
  readonly wallet: 'gift' | 'airtime';
  readonly threshold: Money | null;
}

/**
 * Sets the threshold of a wallet; returns the details for the audit log, with both thresholds as decimal strings or
 * null. It tells nothing by itself: the event comes when the balance falls below it.
 */
export async function setLowBalance(
  transaction: DatabaseTransaction,
  { partnerId, wallet, threshold }: LowBalance,
) {
  const { low_balance: before } = await transaction
    .selectFrom('ledger_accounts')
    .select('low_balance')
    .where('kind', '=', wallet)
    .where('partner_id', '=', partnerId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  const after = threshold === null ? null : formatMoney(threshold);
  await transaction
    .updateTable('ledger_accounts')
    .set({ low_balance: after })
    .where('kind', '=', wallet)
    .where('partner_id', '=', partnerId)
    .execute();
  return { wallet, before, after };
}

/** SQL condition on `ledger_accounts`: a wallet below its threshold, of a partner that may use it. */
export const hasLowBalance = sql`low_balance is not null and balance < low_balance
  and exists (select from partners where partners.id = partner_id and partners.status = 'ACTIVE')`;

/** A transfer of the ledger, from the debited to the credited account. */
export interface LedgerTransfer {
  readonly at: Date;
  readonly operationId: string;
  readonly step: string;
  readonly debit: LedgerAccountsTable['kind'];
  readonly credit: LedgerAccountsTable['kind'];
  /** Decimal string. */
  readonly amount: string;
}

/** The operations that move a voucher's money. */
export const operationsOf = (voucher: {
  readonly id: number;
  readonly operationId: string;
  readonly redemptions: readonly {
    readonly operationId: string;
    readonly reversal: { readonly operationId: string } | null;
  }[];
}): string[] => [
  voucher.operationId,
  `cancel-voucher:${voucher.id}`,
  `expire-voucher:${voucher.id}`,
  ...voucher.redemptions.flatMap(({ operationId, reversal }) =>
    reversal === null ? [operationId] : [operationId, reversal.operationId],
  ),
];

/** The transfers of a partner's operations, oldest first, without accounts of other partners; also archived ones. */
export const readLedgerHistory = (
  database: Database,
  partnerId: number,
  operationIds: readonly string[],
) =>
  inSnapshot(database, async (snapshot) => {
    const archived = await readArchivedOperations(snapshot, partnerId, operationIds);
    const histories = transferSources(archived).map(
      (transfers) => sql`
        select ledger_transfers.id, created_at as at, operation_id as "operationId", step,
          debit.kind as debit, credit.kind as credit, amount
        from ${transfers}
        join ledger_accounts as debit on debit.id = debit_account_id
        join ledger_accounts as credit on credit.id = credit_account_id
        where operation_id = any(${operationIds}::text[])
          and coalesce(debit.partner_id, credit.partner_id, ${partnerId}::bigint) = ${partnerId}::bigint`,
    );
    return allRows<LedgerTransfer>(snapshot)`
      select at, "operationId", step, debit, credit, amount
      from (${sql.join(histories, sql` union all `)}) as history
      order by at, id`;
  });

export interface LedgerTotals {
  /** The total balance of each kind of account, a decimal string. */
  readonly accounts: readonly {
    readonly kind: LedgerAccountsTable['kind'];
    readonly balance: string;
  }[];
  /** The open operations in suspense. */
  readonly openSuspense: {
    /** Number of open operations. */
    readonly count: number;
    /** Decimal string: paid by the platform, not assigned yet. */
    readonly toBeBorne: string;
    /** Decimal string: returned to the platform, not assigned yet. */
    readonly toBeCredited: string;
  };
}

/**
 * The total balances of all accounts. Reads every transfer of the platform's accounts, which have
 * no balance row.
 */
export async function readLedgerTotals(database: Database): Promise<LedgerTotals> {
  const accounts = await allRows<LedgerTotals['accounts'][number]>(database)`
    select kind, sum(coalesce(balance, (
        select coalesce(sum(amount) filter (where credit_account_id = account.id), 0)
          - coalesce(sum(amount) filter (where debit_account_id = account.id), 0)
        from ledger_transfers
        where account.id in (debit_account_id, credit_account_id))
      + coalesce((select sum(change) from (${archivedEntries()}) as archived
        where archived.account_id = account.id), 0)))::numeric(30, 6) as balance
    from ledger_accounts as account
    group by kind order by min(partner_id) is null, kind`;
  const openSuspense = await onlyRow<LedgerTotals['openSuspense']>(database)`
    select count(*)::int as count,
      coalesce(sum(amount) filter (where amount > 0), 0)::numeric(30, 6) as "toBeBorne",
      coalesce(-sum(amount) filter (where amount < 0), 0)::numeric(30, 6) as "toBeCredited"
    from cases where why = 'difference' and closed_at is null`;
  return { accounts, openSuspense };
}
