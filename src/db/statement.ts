import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from './connection.js';
import type { LedgerAccountsTable, PartnerAccountKind } from './schema.js';

/** The balances that partners see (specification 2.10), by the accounts that make each up. */
const accountsOf = {
  gift: ['gift'],
  airtime: ['airtime'],
  // What a redemption holds is not used yet. Moves between these two change nothing.
  reserved: ['reserved', 'gift-hold'],
} as const satisfies Record<string, readonly PartnerAccountKind[]>;

export type Wallet = keyof typeof accountsOf;

export interface StatementRequest {
  readonly partnerId: number;
  readonly wallet: Wallet;
  /** The first moment, inclusive; undefined is the beginning. */
  readonly from: Date | undefined;
  /** The last moment, exclusive; undefined is now. */
  readonly before: Date | undefined;
}

/** One transfer that changed the wallet, and what is known of the operation that made it. */
export interface StatementLine {
  readonly id: number;
  readonly at: Date;
  readonly operation_id: string;
  readonly step: string;
  /** The account on the other side. */
  readonly other_account: LedgerAccountsTable['kind'];
  /** Decimal string; below zero is what left the wallet. */
  readonly change: string;
  /** Decimal string: the wallet after it. */
  readonly balance: string;
  readonly serial_number: string | null;
  readonly redemption_reference: string | null;
  readonly merchant_name: string | null;
  readonly topup_id: number | null;
  readonly topup_attempt: number | null;
  readonly topup_attempt_status: 'HELD' | 'POSTED' | 'VOIDED' | null;
  readonly topup_product: string | null;
  readonly msisdn: string | null;
}

/** All amounts are decimal strings. */
export interface Statement {
  readonly openingBalance: string;
  readonly lines: StatementLine[];
  readonly closingBalance: string;
  /** What all transfers of the wallet add up to, whatever the range. */
  readonly total: string;
  /** What the database keeps as the wallet's balance; anything but `total` is a fault. */
  readonly ledgerBalance: string;
}

/**
 * The statement of a partner's wallet, read in one snapshot. Lines are in the order of their times,
 * which are those of their transactions' beginnings.
 */
export const readStatement = (database: Database, request: StatementRequest): Promise<Statement> =>
  database
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (transaction) => {
      const sums = await readSums(transaction, request);
      const lines = await readLines(transaction, request, sums.openingBalance);
      return { ...sums, lines, closingBalance: lines.at(-1)?.balance ?? sums.openingBalance };
    });

/** The transfers between the wallet and the rest of the ledger, each with its sign. */
const movements = ({ partnerId, wallet }: StatementRequest) => {
  const accounts = sql`select id from ledger_accounts
    where partner_id = ${partnerId} and kind = any(${accountsOf[wallet]}::text[])`;
  return sql`
    select id, created_at, operation_id, step, amount as change,
      debit_account_id as other_account_id
    from ledger_transfers
    where credit_account_id in (${accounts}) and debit_account_id not in (${accounts})
    union all
    select id, created_at, operation_id, step, -amount, credit_account_id
    from ledger_transfers
    where debit_account_id in (${accounts}) and credit_account_id not in (${accounts})`;
};

const isInRange = ({ from, before }: StatementRequest) => sql`
  (${from ?? null}::timestamptz is null or created_at >= ${from ?? null})
  and (${before ?? null}::timestamptz is null or created_at < ${before ?? null})`;

async function readSums(transaction: DatabaseTransaction, request: StatementRequest) {
  const { rows } = await sql<{ opening: string; total: string; balance: string }>`
    select
      coalesce(sum(change) filter (where created_at < ${request.from ?? null}), 0)::numeric(20, 6)
        as opening,
      coalesce(sum(change), 0)::numeric(20, 6) as total,
      (select coalesce(sum(balance), 0)::numeric(20, 6) from ledger_accounts
        where partner_id = ${request.partnerId}
          and kind = any(${accountsOf[request.wallet]}::text[])) as balance
    from (${movements(request)}) as movements`.execute(transaction);
  const { opening = '0', total = '0', balance = '0' } = rows[0] ?? {};
  return { openingBalance: opening, total, ledgerBalance: balance };
}

async function readLines(
  transaction: DatabaseTransaction,
  request: StatementRequest,
  openingBalance: string,
): Promise<StatementLine[]> {
  const { rows } = await sql<StatementLine>`
    select line.id, line.created_at as at, line.operation_id, line.step, other.kind as other_account,
      line.change, line.balance, vouchers.serial_number,
      redemptions.platform_reference as redemption_reference, merchants.merchant_name,
      attempt.topup_id, attempt.attempt as topup_attempt, attempt.status as topup_attempt_status,
      products.product_name as topup_product, attempt.msisdn
    from (
      select *, ${openingBalance}::numeric + sum(change) over (order by created_at, id) as balance
      from (${movements(request)}) as movements
      where ${isInRange(request)}
    ) as line
    join ledger_accounts as other on other.id = line.other_account_id
    left join redemptions on redemptions.operation_id = line.operation_id
    left join merchants on merchants.id = redemptions.merchant_id
    left join vouchers on vouchers.id = coalesce(redemptions.voucher_id,
      (select id from vouchers where operation_id = line.operation_id),
      substring(line.operation_id from '^(?:cancel|expire)-voucher:([0-9]{1,18})$')::bigint)
    left join topup_attempts as attempt on attempt.operation_id = line.operation_id
    left join topups on topups.id = attempt.topup_id
    left join products on products.id = topups.product_id and products.kind = 'PACKAGE'
    order by line.created_at, line.id`.execute(transaction);
  return rows;
}
