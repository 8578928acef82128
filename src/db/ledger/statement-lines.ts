import { sql } from 'kysely';
import type { WalletChange } from '../../domain/statements/statement-labels.ts';
import type { PartnerAccountKind } from '../schema/all-tables.ts';

/** The balances of partners (specification 2.10) with the accounts of each. */
const accountsOf = {
  gift: ['gift'],
  airtime: ['airtime'],
  // Gifts on hold are unused as well. Transfers between these two accounts do not change the
  // balance.
  reserved: ['reserved', 'gift-hold'],
} as const satisfies Record<string, readonly PartnerAccountKind[]>;

export type Wallet = keyof typeof accountsOf;

export const wallets = Object.keys(accountsOf) as readonly Wallet[];

/** SQL query: the kinds of accounts of wallets, beside the wallet of each. */
export const walletAccounts = (wanted: readonly Wallet[]) => {
  const pairs = wanted.flatMap((wallet) => accountsOf[wallet].map((kind) => [wallet, kind]));
  return sql`select * from unnest(${pairs.map(([wallet]) => wallet)}::text[],
    ${pairs.map(([, kind]) => kind)}::text[])`;
};

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

/** The wallet's balance in the database. */
export const walletBalance = ({ partnerId, wallet }: StatementRequest) => sql`
  select coalesce(sum(balance), 0)::numeric(20, 6) as balance from ledger_accounts
  where partner_id = ${partnerId} and kind = any(${accountsOf[wallet]}::text[])`;

/** The transfers between the wallet and other accounts, each with its sign. */
export const movements = ({ partnerId, wallet }: StatementRequest) => {
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

/** Whether a movement is not before the range. */
export const hasBegun = ({ from }: StatementRequest) =>
  sql`created_at >= coalesce(${from ?? null}::timestamptz, '-infinity')`;

/** Whether a movement is not after the range. */
export const hasNotEnded = ({ before }: StatementRequest) =>
  sql`created_at < coalesce(${before ?? null}::timestamptz, 'infinity')`;

/** The columns of a StatementLine, for a movement `line` with its balance and `explanations`. */
export const lineColumns = sql`line.id, line.created_at as at, line.operation_id, line.step,
  other.kind as other_account, line.change, line.balance, vouchers.id as voucher_id,
  vouchers.serial_number, redemptions.platform_reference as redemption_reference,
  merchants.merchant_name, attempt.topup_id, attempt.attempt as topup_attempt,
  attempt.status as topup_attempt_status, products.product_name as topup_product, attempt.msisdn`;

/** Joins of the subjects of a `line`'s operation. */
export const explanations = sql`
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
