import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect } from 'vitest';
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
      await sql`update placements set ask_at = clock_timestamp()
        where operation_id = ${operationId}`.execute(database);
      await temporal.client.workflow
        .execute('reconcile', {
          workflowId: `reconcile-${randomUUID()}`,
          taskQueue: config.temporal.temporalTaskQueue,
        })
        // The reconciliation that opens a case is red.
        .catch(() => undefined);
      const { why } = await database
        .selectFrom('cases')
        .select('why')
        .where('subject', '=', operationId)
        .executeTakeFirstOrThrow();
      expect(why).toBe('difference');
    });

  return { attemptOf, deliver, findLate };
}
