import { sql } from 'kysely';
import type { WalletChange } from '../../domain/statements.ts';
import { allRows, allValues, type Database, inSnapshot, onlyRow, type Sql } from '../connection.ts';
import type { Sought } from '../lists/list.ts';
import { topupList } from '../lists/topups.ts';
import { voucherList } from '../lists/vouchers.ts';
import type { ArchivedTransfer } from './archive-files.ts';
import { isUsual, transferSources } from './archives.ts';
import {
  accountsWithWallets,
  columnsOfSide,
  ownMovements,
  walletAccounts,
} from './own-movements.ts';
import {
  type ArchivedPage,
  cursorMoment,
  readArchivedEdges,
  readArchivedOperations,
  withArchivedPage,
} from './read-archives.ts';

/** The balances of partners (specification 2.10). */
export const wallets = ['gift', 'airtime', 'reserved'] as const;
export type Wallet = (typeof wallets)[number];

export interface StatementRequest {
  readonly partnerId: number;
  readonly wallet: Wallet;
  /** The first moment, inclusive; undefined is the beginning. */
  readonly from: Date | undefined;
  /** The last moment, exclusive; undefined is now. */
  readonly before: Date | undefined;
}

/** One transfer that changed the wallet. */
export interface StatementLine extends WalletChange {
  readonly id: number;
  readonly at: Date;
  /** Decimal string: the balance after it. */
  readonly balance: string;
  readonly voucher_id: number | null;
}

/** The transfers between the wallet and other accounts, each with its sign. */
const movements = (
  { partnerId, wallet }: Pick<StatementRequest, 'partnerId' | 'wallet'>,
  archived: readonly ArchivedTransfer[],
) => {
  const accounts = sql`
    select id from (${accountsWithWallets(partnerId)}) as accounts where wallet = ${wallet}`;
  const changes = transferSources(archived).flatMap((transfers) =>
    Object.values(columnsOfSide).map(
      ({ own, sign, other }) => sql`
      select id, created_at, operation_id, step, ${sign}amount as change, ${other} as other_account_id
      from ${transfers} where ${own} in (${accounts}) and ${other} not in (${accounts})`,
    ),
  );
  return sql.join(changes, sql` union all `);
};

/** The columns of a StatementLine but its balance, for a movement `line` with `explanations`. */
const lineColumns = sql`line.id, line.created_at as at, line.operation_id, line.step,
  other.kind as other_account, line.change, vouchers.id as voucher_id,
  vouchers.serial_number, redemptions.platform_reference as redemption_reference,
  merchants.merchant_name, attempt.topup_id, attempt.attempt as topup_attempt,
  attempt.status as topup_attempt_status, products.product_name as topup_product, attempt.msisdn`;

/** Joins of the subjects of a `line`'s operation. */
const explanations = sql`
  join ledger_accounts as other on other.id = line.other_account_id
  left join redemptions on redemptions.operation_id = line.operation_id
  left join merchants on merchants.id = redemptions.merchant_id
  left join lateral (
    select id, serial_number from vouchers where id = coalesce(redemptions.voucher_id,
      (select id from vouchers where operation_id = line.operation_id),
      substring(line.operation_id from '^(?:cancel|expire)-voucher:([0-9]{1,18})$')::bigint)
    limit 1
  ) as vouchers on true
  left join topup_attempts as attempt on attempt.operation_id = line.operation_id
  left join topups on topups.id = attempt.topup_id
  left join products on products.id = topups.product_id and products.kind = 'PACKAGE'`;

/** A place between two transactions of a partner. */
export interface TransactionPosition {
  /** Microseconds since 1970, as the database keeps them. */
  readonly micros: number;
  readonly id: number;
  readonly wallet: Wallet;
}

/** A transfer that changed a wallet. */
export interface WalletTransaction extends WalletChange, TransactionPosition {
  readonly at: Date;
  readonly voucher_id: number | null;
}

export interface WalletsQuery extends ArchivedPage {
  readonly wallets: readonly Wallet[];
  readonly after: TransactionPosition | undefined;
}

/**
 * A transfer is dated by the start of its transaction, and seen after its end. No transaction of the
 * service lasts so long, so that a reader who goes forward leaves nothing out.
 */
const SETTLED_AFTER = sql`interval '60 seconds'`;

/** As the indexes of other transfers than the usual ones have it. */
const isRare = sql`not ${isUsual}`;

/**
 * The sides of accounts on which nearly every transfer stays within the wallet: holds move from the
 * reserve to what is on hold. Of the steps that are not rare, none of these comes from elsewhere.
 */
const giftSides = [
  { ...columnsOfSide.credit, kind: 'gift-hold' },
  { ...columnsOfSide.debit, kind: 'reserved' },
];

/**
 * SQL: `account`, the accounts of wallets of a partner, and `movement`, the next transfers that changed
 * them. Each account is read along an index and up to the limit, so that the cost does not grow with the
 * history.
 */
function nextMovements(request: WalletsQuery, archived: readonly ArchivedTransfer[]) {
  const { limit } = request;
  const direction = request.order === 'oldest' ? sql`asc` : sql`desc`;
  const sides = transferSources(archived).flatMap((source) =>
    giftSides.map((side) => ({ source, ...side })),
  );
  const movements = sides.flatMap(({ source, own, sign, other, kind }) => {
    const found = (accounts: Sql, transfers: Sql) => sql`
      select found.*, account.wallet from account cross join lateral (
        select id, created_at, operation_id, step, ${sign}amount as change,
          ${other} as other_account_id
        from ${source}
        where ${own} = account.id and ${transfers} and ${isWanted(request)}
          and ${other} not in (
            select id from account as sibling where sibling.wallet = account.wallet)
        order by created_at ${direction}, id ${direction} limit ${limit + 1}
      ) as found where ${accounts}`;
    return [
      found(sql`account.kind <> ${sql.lit(kind)}`, sql`true`),
      found(sql`account.kind = ${sql.lit(kind)}`, isRare),
    ];
  });
  return sql`
    ${walletAccounts(request.partnerId, request.wallets)}, movement as (
      ${sql.join(movements, sql` union all `)}
    )`;
}

/** The next transactions of a partner's wallets, also of archived days. Oldest first it ends a minute ago. */
export const readWalletTransactions = (database: Database, request: WalletsQuery) =>
  withArchivedPage(database, request, async (snapshot, archived) => {
    const direction = request.order === 'oldest' ? sql`asc` : sql`desc`;
    return allRows<WalletTransaction>(snapshot)`
      with ${nextMovements(request, archived)}, line as (
        select *, ${micros} as micros from movement
        where ${isAfter(request)}
        order by created_at ${direction}, id ${direction}, wallet ${direction} limit ${request.limit}
      )
      select ${lineColumns}, line.wallet, line.micros from line ${explanations}
      order by line.created_at ${direction}, line.id ${direction}, line.wallet ${direction}`;
  });

const micros = sql`(extract(epoch from created_at) * 1000000)::bigint`;

/** The condition that an index serves; the transaction of the position itself may be among them. */
function isWanted({ from, to, order, after }: WalletsQuery) {
  const conditions = [
    sql`created_at >= coalesce(${from ?? null}::timestamptz, '-infinity')`,
    sql`created_at < coalesce(${to ?? null}::timestamptz, 'infinity')`,
  ];
  if (order === 'oldest') conditions.push(sql`created_at < now() - ${SETTLED_AFTER}`);
  const compare = order === 'oldest' ? sql`>=` : sql`<=`;
  if (after)
    conditions.push(sql`(created_at, id) ${compare} (${cursorMoment(after.micros)}, ${after.id})`);
  return sql.join(conditions, sql` and `);
}

/** Whether a transaction comes after the position: one transfer may change two wallets. */
function isAfter({ order, after }: WalletsQuery) {
  if (!after) return sql`true`;
  const compare = order === 'oldest' ? sql`>` : sql`<`;
  return sql`(created_at, id, wallet) ${compare} (${cursorMoment(after.micros)}, ${after.id}, ${after.wallet})`;
}

/** Lines that a search of a wallet finds at most. */
export const FOUND_LINES = 200;

/** SQL query: the operations of a partner that somebody looks for: deposits, and those of vouchers and top-ups. */
const operationsFoundBy = (sought: Sought, partnerId: number) => {
  const { reference } = sought;
  const idsOf = (list: typeof voucherList | typeof topupList) => sql`
    select ${list.id} as id from ${list.from(partnerId)}
    where ${list.where(partnerId)} and ${list.finds?.(sought, partnerId)}`;
  return sql`
    select operation_id from ledger_transfers
    where operation_id like 'deposit:%' and upper(operation_id) = ${`DEPOSIT:${reference?.toUpperCase()}`}
    union all
    select operation_id from vouchers join (${idsOf(voucherList)}) as found using (id)
    union all
    select redemptions.operation_id from redemptions
    join (${idsOf(voucherList)}) as found on found.id = voucher_id
    union all
    select ending || '-voucher:' || found.id
    from (${idsOf(voucherList)}) as found cross join unnest(array['cancel', 'expire']) as ending
    union all
    select operation_id from topup_attempts
    join (${idsOf(topupList)}) as found on found.id = topup_id`;
};

/** The lines of a wallet that a search finds, of any time, newest first. */
export const findStatementLines = (
  database: Database,
  request: Pick<StatementRequest, 'partnerId' | 'wallet'>,
  sought: Sought,
) =>
  inSnapshot(database, async (snapshot) => {
    const operationIds = await allValues<string>(snapshot)`
    ${operationsFoundBy(sought, request.partnerId)}`;
    const archived = await readArchivedOperations(snapshot, request.partnerId, operationIds);
    return allRows<Omit<StatementLine, 'balance'>>(snapshot)`
    select ${lineColumns}
    from (
      select * from (${movements(request, archived)}) as movements
      where operation_id = any(${operationIds}::text[])
    ) as line
    ${explanations}
    order by line.created_at desc, line.id desc limit ${FOUND_LINES}`;
  });

/** The sums of a wallet in a range; all amounts are decimal strings. */
export interface StatementSums {
  readonly openingBalance: string;
  readonly closingBalance: string;
  /** Sums of credits and debits, both without a sign. */
  readonly cameIn: string;
  readonly wentOut: string;
  readonly lineCount: number;
}

/** One page of a statement. The sums are those of the whole range. */
export interface StatementPage extends StatementSums {
  /** Newest first. */
  readonly lines: StatementLine[];
}

/** As the limit of a page: all lines of its range, all of them in memory. */
export const ALL_LINES = Number.MAX_SAFE_INTEGER - 1;

/** Lines of a range that pages reach: a page reads the lines of those before it, too. */
export const REACHED_LINES = 50_000;

/**
 * A page of a wallet's statement, in one snapshot. The sums come from those of days. The lines are read along
 * indexes, from the newest of the range to the last of the page, so that neither grows with the range.
 *
 * @throws where the page begins after `REACHED_LINES`
 */
export const readStatementPage = (
  database: Database,
  request: StatementRequest,
  page: { readonly limit: number; readonly offset: number },
): Promise<StatementPage> =>
  inSnapshot(database, async (snapshot) => {
    if (page.offset >= REACHED_LINES) throw new Error('The page is too far from the newest line');
    const sums = await readStatementSums(snapshot, request);
    return { ...sums, lines: await readPageLines(snapshot, request, { ...page, ...sums }) };
  });

/** The sums of a range. Balances are computed backwards from those of the ledger. */
export async function readStatementSums(
  snapshot: Database,
  { partnerId, wallet, from, before }: StatementRequest,
) {
  const begin = sql`coalesce(${from ?? null}::timestamptz, '-infinity')`;
  // Nothing has the time of the future, and days that have no end are those of the sums.
  const end = sql`(case when ${before ?? null}::timestamptz <= now() then ${before ?? null}::timestamptz
    else 'infinity' end)`;
  const archived = await readArchivedEdges(snapshot, partnerId, begin, end);
  return onlyRow<StatementSums>(snapshot, 'A statement always has its sums')`
    with ${ownMovements({ partnerId, wallets: [wallet] }, begin, end, archived)}, change as (
      select change, count, created_at < ${end} as is_within from own
    )
    select (wallet.balance - coalesce(sum(change), 0))::numeric(20, 6) as "openingBalance",
      (wallet.balance - coalesce(sum(change) filter (where not is_within), 0))::numeric(20, 6)
        as "closingBalance",
      coalesce(sum(change) filter (where is_within and change > 0), 0)::numeric(20, 6) as "cameIn",
      coalesce(-sum(change) filter (where is_within and change < 0), 0)::numeric(20, 6) as "wentOut",
      coalesce(sum(count) filter (where is_within), 0)::bigint as "lineCount"
    from (select coalesce(sum(balance), 0) as balance from account) as wallet
    left join change on true
    group by wallet.balance`;
}

function readPageLines(
  snapshot: Database,
  { partnerId, wallet, from, before }: StatementRequest,
  page: Pick<StatementSums, 'closingBalance'> & { readonly limit: number; readonly offset: number },
): Promise<StatementLine[]> {
  const request = {
    partnerId,
    wallets: [wallet],
    from,
    to: before,
    after: undefined,
    order: 'newest' as const,
    limit: page.offset + page.limit,
  };
  return withArchivedPage(
    snapshot,
    request,
    (same, archived) => allRows<StatementLine>(same)`
      with ${nextMovements(request, archived)}, line as (
        select *, ${page.closingBalance}::numeric - coalesce(sum(change) over (
          order by created_at desc, id desc
          rows between unbounded preceding and 1 preceding), 0) as balance
        from movement
        order by created_at desc, id desc
        limit ${page.limit}::bigint offset ${page.offset}::bigint
      )
      select ${lineColumns}, line.balance from line ${explanations}
      order by line.created_at desc, line.id desc`,
  );
}
