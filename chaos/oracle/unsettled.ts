import { ServiceError } from '@temporalio/client';
import { sql } from 'kysely';
import type { Database } from '../../src/db/connection.ts';
import type { ThrowawayStack } from '../throwaway-stack.ts';
import { findWorkflows } from './workflows.ts';

/** Whatever is under way, or was left behind: one line each (I8). */
export async function findUnsettled(stack: ThrowawayStack): Promise<string[]> {
  return [
    ...(await findHeldRows(stack.database)),
    ...(await findWaitingRows(stack.database)),
    ...(await findOpenWorkflows(stack)),
  ];
}

/** A Temporal server that lost everything knows our search attributes when a worker has looked again. */
async function findOpenWorkflows(stack: ThrowawayStack): Promise<string[]> {
  try {
    const { running, needsAction } = await findWorkflows(stack);
    return [
      ...running.map((id) => `workflow ${id} is running`),
      ...needsAction.map((id) => `${id} asks for a person`),
    ];
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return [`Temporal does not list workflows: ${String(error.cause ?? error)}`];
  }
}

/** What holds money, or is in the middle of a step. */
export async function findHeldRows(database: Database): Promise<string[]> {
  const { rows } = await sql<{ left: string }>`
    select 'redemption ' || payment_reference || ' is ' || status as left from redemptions
      where status = 'HELD'
    union all select 'attempt ' || reference || ' is ' || status from topup_attempts
      where status = 'HELD'
    union all select 'reversal ' || reference || ' is ' || status from redemption_reversals
      where status = 'PENDING'
    union all select 'top-up ' || id || ' is ' || status from topups
      where status not in ('SUCCESS', 'FAILED')
    union all select 'bulk order ' || id || ' is running' from bulk_orders where ended_at is null
    union all select 'event ' || id || ' has no number' from events where number is null
    union all select 'operation ' || id || ' (' || kind || ') is ' || status from operations
      where status = 'RUNNING'
    union all select 'voucher ' || id || ' is ' || status from vouchers
      where status = 'REDEEM_PROCESSING'
    union all select kind || ' of partner ' || partner_id || ' holds ' || balance
      from ledger_accounts where kind in ('gift-hold', 'airtime-hold') and balance <> 0
    union all select 'transaction of ' || pid || ' is idle' from pg_stat_activity
      where datname = current_database() and state like 'idle in transaction%'`.execute(database);
  return rows.map(({ left }) => left);
}

/** What still waits for a person or for a time. */
async function findWaitingRows(database: Database): Promise<string[]> {
  const { rows } = await sql<{ left: string }>`
    select 'voucher ' || id || ' is ' || status as left from vouchers
      where status = 'REDEEM_INITIATED'
    union all select 'voucher ' || id || ' is due and ' || status from vouchers
      where status = 'ACTIVE' and expires_at < now()
    union all select 'claim ' || id || ' is ' || status from voucher_claims where status = 'OPEN'
    union all select 'delivery ' || id || ' is ' || status from webhook_deliveries
      where status = 'PENDING'
    union all select 'webhook ' || webhook.id || ' is behind' from webhook_endpoints as webhook
      where exists (
        select from events where events.company_kind = webhook.company_kind
          and events.company_id = webhook.company_id and number > cursor)
    union all select kind || ' message ' || id || ' is ' || status from messages
      where status in ('QUEUED', 'SENDING')
    union all select 'a transaction is open since ' || xact_start from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()
        and xact_start < now() - interval '10 seconds'`.execute(database);
  return rows.map(({ left }) => left);
}
