import { type RawBuilder, sql } from 'kysely';
import type { DatabaseTransaction } from '../connection.ts';
import { DUE_NOW } from '../providers/failover-inquiries.ts';
import { asUuid } from './compare-day.ts';
import type { StatementDay } from './statement-lines.ts';

/**
 * Has the reconciliation ask the provider about rows that ended otherwise here than there, and about those
 * that another provider was asked for: it books a late success, a reversal or a double delivery, as after
 * a callback.
 */
export async function askAboutBreaks(
  transaction: DatabaseTransaction,
  { provider, day }: StatementDay,
): Promise<void> {
  const isAirtime = provider.kind === 'airtime';
  const open = (isOurs: RawBuilder<unknown>) => sql`
    select ${isAirtime ? sql`reference` : asUuid} from provider_breaks as line
    where provider = ${provider.name} and day = ${day} and state = 'OPEN'
      and kind = ${isAirtime ? 'top-up' : 'payment'} and ${isOurs}
      and type in ('missing-here', 'unordered', 'missing-there', 'reversed')`;
  const table = isAirtime ? sql`topup_attempts` : sql`redemptions`;
  const reference = isAirtime ? sql`reference` : sql`payment_reference`;
  await sql`
    update ${table} set recheck_at = now()
    where ${reference} = any(array(${open(sql`our_status in ('POSTED', 'VOIDED')`)}))
      and status <> 'HELD'
  `.execute(transaction);
  await sql`
    update provider_failovers set ${DUE_NOW}
    where from_provider = ${provider.name} and booked_at is null and settled_at is null
      and operation_id = any(array(
        select operation_id from ${table}
        where ${reference} = any(array(${open(sql`our_status is null`)}))))
  `.execute(transaction);
}
