import { log } from '@temporalio/activity';
import { sql } from 'kysely';
import { book } from '../../src/db/positions/book.ts';
import { observed } from '../../src/db/positions/change.ts';
import { type LockedOrder, lockOrder, subjectOfOrder } from '../../src/db/positions/orders.ts';
import type { DuePlacement } from '../../src/db/positions/placements.ts';
import { formatAmount } from '../../src/domain/money.ts';
import type { Observation } from '../../src/domain/positions/placement.ts';
import { caseOf, difference } from '../../src/domain/positions/position.ts';
import { caseTitle } from '../../src/domain/positions/words.ts';
import type { ProviderInquiry } from '../../src/providers/outcome.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/** What a provider says by its answer to an inquiry. No answer and an unclear one are silence. */
export function observationOf(answer: ProviderInquiry, at: number): Observation {
  const inquiry = { at, source: 'inquiry' } as const;
  switch (answer.kind) {
    case 'delivered':
      return answer.reversal === undefined
        ? { ...inquiry, said: 'done', providerReference: answer.providerReference }
        : { ...inquiry, said: 'undone', words: answer.reversal };
    case 'refused':
      return { ...inquiry, said: 'nothing', words: answer.message };
    case 'never-seen':
      return { ...inquiry, said: 'never-seen' };
    case 'unknown':
      return answer.disagrees
        ? { ...inquiry, said: 'other', words: answer.message }
        : { ...inquiry, said: 'silent' };
    case 'not-sent':
      return { ...inquiry, said: 'silent' };
  }
}

/** Books what a provider says of a placement that it was asked about. Logs a new case. */
export async function observePlacement(
  { database, limits }: Pick<ActivityDependencies, 'database' | 'limits'>,
  { id, operationId, takenAt }: DuePlacement,
  seen: Observation,
): Promise<LockedOrder> {
  const order = await database.transaction().execute(async (transaction) => {
    const locked = await lockOrder(transaction, operationId);
    const after = observed(locked.position, id, seen);
    return book(transaction, locked, after, { source: 'inquiry', takenAt }, limits);
  });
  const why = caseOf(order.position, order.now);
  if (why !== undefined && order.cases.every((one) => one.why !== why)) {
    const open = difference(order.position);
    log.error(caseTitle(why, open), { order: subjectOfOrder(order), etb: formatAmount(open) });
  }
  return order;
}

/** The workflow of a top-up that waits for a retry which is no longer wanted; undefined for any other order. */
export async function workflowOfTopup(
  { database }: Pick<ActivityDependencies, 'database'>,
  { topupId }: LockedOrder,
): Promise<string | undefined> {
  if (topupId === null) return undefined;
  const { rows } = await sql<{ workflowId: string }>`
    select workflow_id as "workflowId" from topups where id = ${topupId}`.execute(database);
  return rows[0]?.workflowId;
}
