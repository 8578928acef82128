import { formatMoney, type Money } from '../../domain/money.ts';
import type { Database, DatabaseTransaction } from '../connection.ts';

/** The threshold of a wallet below which its partner is told; null for none. */
export interface LowBalance {
  readonly partnerId: number;
  readonly wallet: 'gift' | 'airtime';
  readonly threshold: Money | null;
}

/**
 * Sets the threshold of a wallet; returns the one before as a decimal string, or null. It tells
 * nothing by itself: the event comes when the balance falls below it.
 */
export async function setLowBalance(
  transaction: DatabaseTransaction,
  { partnerId, wallet, threshold }: LowBalance,
): Promise<string | null> {
  const { low_balance: before } = await transaction
    .selectFrom('ledger_accounts')
    .select('low_balance')
    .where('kind', '=', wallet)
    .where('partner_id', '=', partnerId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  await transaction
    .updateTable('ledger_accounts')
    .set({ low_balance: threshold === null ? null : formatMoney(threshold) })
    .where('kind', '=', wallet)
    .where('partner_id', '=', partnerId)
    .execute();
  return before;
}

/** The thresholds of a partner's wallets, as decimal strings; null for none. */
export async function readLowBalances(
  database: Database,
  partnerId: number,
): Promise<Readonly<Record<LowBalance['wallet'], string | null>>> {
  const rows = await database
    .selectFrom('ledger_accounts')
    .select(['kind', 'low_balance'])
    .where('partner_id', '=', partnerId)
    .where('kind', 'in', ['gift', 'airtime'])
    .execute();
  const of = (wallet: LowBalance['wallet']) =>
    rows.find(({ kind }) => kind === wallet)?.low_balance ?? null;
  return { gift: of('gift'), airtime: of('airtime') };
}
