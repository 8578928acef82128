import { sql } from 'kysely';
import { endKind, isUnsummed } from '../books/sums.ts';
import type { Sql } from '../connection.ts';
import type { ArchivedTransfer } from './archive-files.ts';
import { oldestUnsummed, transferSources } from './archives.ts';

/** SQL expressions: the UTC midnights around a moment; both are the moment itself if it is one. */
const midnightBefore = (moment: Sql) => sql`date_trunc('day', ${moment}, 'UTC')`;
const midnightAfter = (moment: Sql) =>
  midnightBefore(sql`${moment} + interval '1 day' - interval '1 microsecond'`);

/**
 * SQL query: the accounts of a partner, each with its wallet (specification 2.10). Gifts on hold are unused as well, so
 * that two accounts have the reserved gifts. Transfers between these two do not change the balance.
 */
export const accountsWithWallets = (partnerId: number) => sql`
  select id, kind, balance, case kind when 'gift-hold' then 'reserved' else kind end as wallet
  from ledger_accounts where partner_id = ${partnerId}`;

/** SQL: `account`, the accounts of wallets of a partner. */
export const walletAccounts = (partnerId: number, wallets: readonly string[]) => sql`account as (
    select id, kind, balance, wallet from (${accountsWithWallets(partnerId)}) as accounts
    where wallet = any(${wallets}::text[])
  )`;

/**
 * SQL: `account`, the accounts of wallets of a partner, and `own`, what changed these wallets since
 * a range began. Whole UTC days come from the daily sums, at their midnight, and from the transfers
 * that these sums lack. The rest of the first day and the whole last day come from transfers alone.
 * Either end may be infinite.
 *
 * @param archived the transfers of files on these two days
 */
export const ownMovements = (
  { partnerId, wallets }: { readonly partnerId: number; readonly wallets: readonly string[] },
  begin: Sql,
  end: Sql,
  archived: readonly ArchivedTransfer[],
) => sql`
  ${walletAccounts(partnerId, wallets)}, span (first, before, is_summed) as (values
    (${begin}, ${midnightAfter(begin)}, false),
    (greatest(${midnightBefore(end)}, ${midnightAfter(begin)}), ${midnightAfter(end)}, false),
    (greatest(${midnightAfter(begin)}, ${oldestUnsummed}), ${midnightBefore(end)}, true),
    (greatest(${midnightAfter(begin)}, ${midnightAfter(end)}, ${oldestUnsummed}), 'infinity', true)
  ), movement as (
    ${movementsOfSide('credit', archived)} union all ${movementsOfSide('debit', archived)}
    union all ${summedMovements('credit', begin, end)}
    union all ${summedMovements('debit', begin, end)}
  ), own as (
    select * from movement where not exists (
      select from account as sibling
      where sibling.id = movement.other_id and sibling.wallet = movement.wallet)
  )`;

type Side = 'credit' | 'debit';

/** SQL expressions: a side's account, its sign and the other account. */
export const columnsOfSide = {
  credit: { own: sql`credit_account_id`, sign: sql`+`, other: sql`debit_account_id` },
  debit: { own: sql`debit_account_id`, sign: sql`-`, other: sql`credit_account_id` },
} as const satisfies Record<Side, unknown>;

/** SQL query: the transfers of the spans on one side of the accounts. */
const movementsOfSide = (side: Side, archived: readonly ArchivedTransfer[]) => {
  const { own, sign, other } = columnsOfSide[side];
  const movements = transferSources(archived).map(
    (transfers) => sql`
      select account.wallet, created_at, step,
        ${endKind} as ended, 1 as count,
        ${sign}amount as change, ${other} as other_id
      from account cross join span
      join ${transfers} on ${own} = account.id and created_at >= span.first
        and created_at < span.before and (not is_summed or ledger_transfers.id ${isUnsummed})`,
  );
  return sql.join(movements, sql` union all `);
};

/** SQL query: the sums of whole days since a range began, except for the day on which it ends. */
const summedMovements = (side: Side, begin: Sql, end: Sql) => {
  const { own, sign, other } = columnsOfSide[side];
  const dateOf = (moment: Sql) => sql`(${moment} at time zone 'UTC')::date`;
  return sql`
    select account.wallet, day::timestamp at time zone 'UTC', step, ended, count, ${sign}amount, ${other}
    from account join ledger_day_sums on ${own} = account.id
    where day >= ${dateOf(midnightAfter(begin))}
      and (day < ${dateOf(midnightBefore(end))} or day >= ${dateOf(midnightAfter(end))})`;
};
