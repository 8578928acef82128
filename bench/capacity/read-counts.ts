import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { sql } from 'kysely';
import type { Service } from '../service.ts';
import { messagesSettled } from '../voucher-lives.ts';
import type { CostOfLife } from './predictions.ts';

/** What PostgreSQL and Temporal have counted of a service so far, and when, in seconds. */
export type Counts = Readonly<Record<CostOfLife, number>> & { readonly at: number };

/** A generation, and the claim that ends with the redemption. */
const WORKFLOWS_OF_LIFE = 2;
const POLL_MS = 100;
/** An idle session of PostgreSQL reports what it has counted after ten seconds at the latest. */
const REPORTED_AFTER_MS = 11_000;

/** Reads the counts once so many lives have ended in PostgreSQL and in Temporal's list. */
export async function readCounts(
  service: Service,
  temporal: Client,
  lives: number,
): Promise<Counts> {
  await messagesSettled(service);
  const transitions = await transitionsOnceEnded(service, temporal, lives * WORKFLOWS_OF_LIFE);
  await pause(REPORTED_AFTER_MS);
  const { rows } = await sql<{ transactions: string; rows: string; bytes: string }>`
    select xact_commit + xact_rollback as transactions, 
      (select sum(n_tup_ins) from pg_stat_user_tables) as rows,
      pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as bytes
    from pg_stat_database where datname = current_database()`.execute(service.database);
  const [found] = rows;
  if (!found) throw new Error('PostgreSQL counts nothing of this database');
  return {
    at: performance.now() / 1_000,
    'transactions of PostgreSQL': Number(found.transactions),
    'rows inserted': Number(found.rows),
    'kB of write-ahead log': Number(found.bytes) / 1_000,
    'state transitions of Temporal': transitions,
  };
}

/** Of the workflows of vouchers alone: those of Schedules do not belong to a life. */
async function transitionsOnceEnded(
  { config }: Service,
  temporal: Client,
  workflows: number,
): Promise<number> {
  const query = `TaskQueue = '${config.temporal.temporalTaskQueue}' and ExecutionStatus = 'Completed'
    and WorkflowType in ('generateVoucher', 'redeemVoucher')`;
  for (;;) {
    let [transitions, ended] = [0, 0];
    for await (const { raw } of temporal.workflow.list({ query, pageSize: 1_000 })) {
      transitions += Number(raw.stateTransitionCount ?? 0);
      ended += 1;
    }
    if (ended >= workflows) return transitions;
    await pause(POLL_MS);
  }
}
