import { type RawBuilder, sql } from 'kysely';
import type { WalletChange } from '../../domain/statements/statement-labels.ts';
import type { Database } from '../connection.ts';
import { explanations, lineColumns, type Wallet, walletAccounts } from './statement-lines.ts';

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

export interface WalletsQuery {
  readonly partnerId: number;
  readonly wallets: readonly Wallet[];
  /** The first moment, inclusive. */
  readonly from: Date | string | undefined;
  /** The last moment, exclusive. */
  readonly to: Date | string | undefined;
  readonly order: 'oldest' | 'newest';
  readonly after: TransactionPosition | undefined;
  readonly limit: number;
}

/**
 * A transfer is dated by the start of its transaction, and seen after its end. No transaction of the
 * service lasts so long, so that a reader who goes forward leaves nothing out.
 */
const SETTLED_AFTER = sql`interval '60 seconds'`;

/** The predicate of the indexes of rare transfers: it has their text (migrations/0001-baseline/04-ledger.sql). */
const isRare = sql.raw(
  `step not in ('hold', 'reserve', 'post', 'post-payment', 'post-service-fee')`,
);

/**
 * The sides of accounts on which nearly every transfer stays within the wallet: holds move from the
 * reserve to what is on hold. Of the steps that are not rare, none of these comes from elsewhere.
 */
const sides = [
  { own: 'credit', kind: 'gift-hold' },
  { own: 'debit', kind: 'reserved' },
] as const;

/**
 * SQL: `account`, the accounts of wallets of a partner, and `movement`, the next transfers that changed
 * them. Each account is read along an index and up to the limit, so that the cost does not grow with the
 * history.
 */
export function nextMovements(request: WalletsQuery) {
  const { limit } = request;
  const direction = request.order === 'oldest' ? sql`asc` : sql`desc`;
  const movements = sides.flatMap(({ own, kind }) => {
    const [ownAccount, other, sign] =
      own === 'credit'
        ? [sql`credit_account_id`, sql`debit_account_id`, sql``]
        : [sql`debit_account_id`, sql`credit_account_id`, sql`-`];
    const found = (accounts: RawBuilder<unknown>, transfers: RawBuilder<unknown>) => sql`
      select found.*, account.wallet from account cross join lateral (
        select id, created_at, operation_id, step, ${sign} amount as change,
          ${other} as other_account_id
        from ledger_transfers
        where ${ownAccount} = account.id and ${transfers} and ${isWanted(request)}
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
    account as (
      select id, kind, wallet from ledger_accounts
      join (${walletAccounts(request.wallets)}) as wallets (wallet, kind) using (kind)
      where partner_id = ${request.partnerId}
    ), movement as (
      ${sql.join(movements, sql` union all `)}
    )`;
}

/** The next transactions of a partner's wallets. Oldest first it ends a minute ago. */
export async function readWalletTransactions(
  database: Database,
  request: WalletsQuery,
): Promise<WalletTransaction[]> {
  const direction = request.order === 'oldest' ? sql`asc` : sql`desc`;
  const { rows } = await sql<WalletTransaction>`
    with ${nextMovements(request)}, line as (
      select *, null::numeric as balance, ${micros} as micros from movement
      where ${isAfter(request)}
      order by created_at ${direction}, id ${direction}, wallet ${direction} limit ${request.limit}
    )
    select ${lineColumns}, line.wallet, line.micros from line ${explanations}
    order by line.created_at ${direction}, line.id ${direction}, line.wallet ${direction}`.execute(
    database,
  );
  return rows;
}

const micros = sql`(extract(epoch from created_at) * 1000000)::bigint`;

const timeOf = ({ micros: time }: TransactionPosition) =>
  sql`(timestamptz 'epoch' + ${time}::bigint * interval '1 microsecond')`;

/** The condition that an index serves; the transaction of the position itself may be among them. */
function isWanted({ from, to, order, after }: WalletsQuery) {
  const conditions = [
    sql`created_at >= coalesce(${from ?? null}::timestamptz, '-infinity')`,
    sql`created_at < coalesce(${to ?? null}::timestamptz, 'infinity')`,
  ];
  if (order === 'oldest') conditions.push(sql`created_at < now() - ${SETTLED_AFTER}`);
  const compare = order === 'oldest' ? sql`>=` : sql`<=`;
  if (after) conditions.push(sql`(created_at, id) ${compare} (${timeOf(after)}, ${after.id})`);
  return sql.join(conditions, sql` and `);
}

/** Whether a transaction comes after the position: one transfer may change two wallets. */
function isAfter({ order, after }: WalletsQuery) {
  if (!after) return sql`true`;
  const compare = order === 'oldest' ? sql`>` : sql`<`;
  return sql`(created_at, id, wallet) ${compare} (${timeOf(after)}, ${after.id}, ${after.wallet})`;
}
