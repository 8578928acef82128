import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { listLateSuccesses } from '../../../src/db/reconciliation/late-successes.ts';
import { call } from '../../support/clients.ts';
import type { Stack } from '../../support/stack.ts';
import { until } from '../../support/until.ts';

/** What the provider does to attempts of top-ups after their time, and how it is found. */
export function createLateDeliveries({ database, sandbox, temporal, config }: Stack) {
  /** The newest attempt of a top-up. */
  const attemptOf = (id: number) =>
    database
      .selectFrom('topup_attempts')
      .select(['operation_id', 'reference', 'status', 'attempt'])
      .where('topup_id', '=', id)
      .orderBy('attempt', 'desc')
      .executeTakeFirstOrThrow();

  /** The provider delivers an attempt. */
  async function deliver(reference: string): Promise<void> {
    const url = `${sandbox.url}/books/topups/${reference}`;
    expect((await call(url, { body: { status: 'completed' } })).status).toBe(200);
  }

  /** Lets the reconciliation find that an attempt was delivered late. */
  const findLate = (operationId: string): Promise<void> =>
    until(async () => {
      await sql`update topup_attempts set recheck_at = now()
        where operation_id = ${operationId} and recheck_at is not null`.execute(database);
      await temporal.client.workflow
        .execute('reconcile', {
          workflowId: `reconcile-${randomUUID()}`,
          taskQueue: config.TEMPORAL_TASK_QUEUE,
        })
        // The reconciliation that opens a case is red.
        .catch(() => undefined);
      const late = await listLateSuccesses(database, { includeSettled: false });
      expect(late.map((one) => one.operationId)).toContain(operationId);
    });

  return { attemptOf, deliver, findLate };
}
