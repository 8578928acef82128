import { sql } from 'kysely';
import type { Database } from '../connection.ts';
import type { LedgerAccountsTable } from '../schema/all-tables.ts';

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

/** The transfers of a partner's operations, oldest first, without accounts of other partners. */
export async function readLedgerHistory(
  database: Database,
  partnerId: number,
  operationIds: readonly string[],
): Promise<LedgerTransfer[]> {
  const { rows } = await sql<LedgerTransfer>`
    select transfer.created_at as at, operation_id as "operationId", step, debit.kind as debit,
      credit.kind as credit, amount
    from ledger_transfers as transfer
    join ledger_accounts as debit on debit.id = debit_account_id
    join ledger_accounts as credit on credit.id = credit_account_id
    where operation_id = any(${operationIds}::text[])
      and coalesce(debit.partner_id, credit.partner_id, ${partnerId}::bigint) = ${partnerId}::bigint
    order by transfer.created_at, transfer.id`.execute(database);
  return rows;
}
