import { sql } from 'kysely';
import type { Database } from '../connection.ts';
import type { LedgerAccountsTable } from '../schema/all-tables.ts';

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
  const accounts = await sql<LedgerTotals['accounts'][number]>`
    select kind, sum(coalesce(balance, (
        select coalesce(sum(amount) filter (where credit_account_id = account.id), 0)
          - coalesce(sum(amount) filter (where debit_account_id = account.id), 0)
        from ledger_transfers
        where account.id in (debit_account_id, credit_account_id))))::numeric(30, 6) as balance
    from ledger_accounts as account
    group by kind order by min(partner_id) is null, kind`.execute(database);
  const suspense = await sql<LedgerTotals['openSuspense']>`
    select count(*)::int as count,
      coalesce(sum(amount) filter (where amount > 0), 0)::numeric(30, 6) as "toBeBorne",
      coalesce(-sum(amount) filter (where amount < 0), 0)::numeric(30, 6) as "toBeCredited"
    from cases where why = 'difference' and closed_at is null`.execute(database);
  const [openSuspense = { count: 0, toBeBorne: '0', toBeCredited: '0' }] = suspense.rows;
  return { accounts: accounts.rows, openSuspense };
}
