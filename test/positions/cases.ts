import { expect } from 'vitest';
import type { Database } from '../../src/db/connection.ts';
import { settleOrder } from '../../src/db/positions/book.ts';
import { findCase } from '../../src/db/positions/cases.ts';
import type { Bearer } from '../../src/domain/positions/position.ts';
import { caseId } from '../../workflows/workflow-ids.ts';
import { type Commands, commandsOn } from '../admin/scene.ts';
import type { Stack } from '../support/stack.ts';
import { until } from '../support/until.ts';
import { callsPerson } from '../workflows/called-person.ts';

/** The newest case of an order, by our reference. */
export const caseOf = (database: Database, reference: string) =>
  database
    .selectFrom('cases')
    .selectAll()
    .where('reference', '=', reference)
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow();

/** The workflow of the newest case of an order. */
export async function caseWorkflow({ database, temporal, config }: Stack, reference: string) {
  const { id } = await caseOf(database, reference);
  return temporal.client.workflow.getHandle(
    caseId({ kind: 'case', id }, config.temporal.temporalTaskQueue),
  );
}

/** Waits until the workflow of the newest case of an order has this status. */
export const untilCase = (
  stack: Stack,
  reference: string,
  expected: 'RUNNING' | 'COMPLETED',
): Promise<void> =>
  until(async () => {
    const handle = await caseWorkflow(stack, reference);
    const { status } = await handle.describe();
    if (status.name !== expected) throw new Error(`The case of ${reference} is ${status.name}`);
    expect(await callsPerson(handle), `the case of ${reference}`).toBe(expected === 'RUNNING');
  });

/** The options by which "cases settle" is about what "cases show" shows of a case, to be written with a choice. */
export const shownFacts = async ({ json }: Commands, id: number): Promise<string> =>
  `--facts ${(await json(`cases show ${id}`)).facts}`;

/** Settles the case of an order on the command line, and waits until it is booked. */
export async function settleCase(stack: Stack, reference: string, by?: Bearer): Promise<void> {
  const { id } = await caseOf(stack.database, reference);
  const operator = commandsOn({ DATABASE_URL: stack.urlFor('operator') });
  const bearer = by === undefined ? '' : `--by ${by} `;
  await operator.json(`cases settle ${id} ${bearer}${await shownFacts(operator, id)} --why agreed`);
  await until(async () => {
    const found = await findCase(stack.database, id);
    if (found?.closedBy == null) throw new Error(`Case ${id} is not settled`);
  });
}

/** The same where no worker runs. */
export const settleAlone = (database: Database, reference: string, by: Bearer): Promise<void> =>
  database.transaction().execute(async (transaction) => {
    const { id } = await caseOf(transaction, reference);
    const found = await findCase(transaction, id);
    if (!found) throw new Error('The case is gone');
    const choice = { by, partnerId: null, actor: 'test', note: 'agreed' };
    await settleOrder(transaction, found, choice, { reversalWatchSeconds: 604_800 });
  });
