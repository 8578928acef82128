import { sql } from 'kysely';
import { expect } from 'vitest';
import { asFirstTold } from '../../../chaos/clients/outcome.ts';
import { compareBooks } from '../../../chaos/oracle/books.ts';
import { compareEventTable } from '../../../chaos/oracle/event-facts.ts';
import { findHeldRows } from '../../../chaos/oracle/unsettled.ts';
import type { Database } from '../../../src/db/connection.ts';
import { findBrokenInvariants } from '../../support/broken-invariants.ts';
import type { Answer } from '../../support/clients.ts';
import { until } from '../../support/until.ts';
import type { OperationKind } from './client-log.ts';
import type { Stories, StoryTools } from './stories.ts';

/** How many of each were answered as done. */
const acknowledged = ({ log }: Stories, kind: OperationKind): number =>
  log.endsOf(kind).filter(({ status }) => status === 200).length;

/** How many vouchers ended orders have generated: no line of theirs is refused. */
const generatedInBulk = ({ log }: Stories): number =>
  log.endsOf('bulk').reduce((sum, { body }) => sum + body.data.bulkOrder.lines, 0);

/**
 * Waits until nothing is open any more, then holds what clients were told, our database, the
 * provider's books and the log of events against each other: every acknowledged success is there, nothing is there twice,
 * and the same request gives the same answer.
 */
export async function expectAgreement(stack: StoryTools, stories: Stories): Promise<void> {
  await until(async () => expect(await findHeldRows(stack.database)).toEqual([]));
  expect(await findBrokenInvariants(stack.database)).toEqual([]);
  expect(await compareBooks(stack.database, stack.sandbox.url)).toEqual([]);
  expect(await compareEventTable(stack.database)).toEqual([]);
  expect(await countDone(stack.database)).toEqual({
    vouchers: acknowledged(stories, 'generate') + generatedInBulk(stories),
    redemptions: acknowledged(stories, 'redeem'),
    reversals: acknowledged(stories, 'reverse') + stories.byRepairs.reversals,
    topups:
      acknowledged(stories, 'topup') + acknowledged(stories, 'retry') + stories.byRepairs.topups,
  });
  await expectSameAnswers(stories);
}

/**
 * Every request once more: an answer that was given is given again, byte for byte but for the message of
 * a failed top-up that was delivered since.
 */
async function expectSameAnswers({ log }: Stories): Promise<void> {
  const vouchers = log.endsOf('generate').map(({ body }) => body.data?.voucher?.voucherCode);
  expect(new Set(vouchers).size).toBe(vouchers.length);
  for (const { kind, send, answers } of log.operations) {
    const before = answers.at(-1);
    const again = await send();
    expect({ kind, status: again.status, body: told(again) }).toEqual({
      kind,
      status: before?.status,
      body: told(before),
    });
  }
}

const told = (answer: Answer | undefined): string => asFirstTold(JSON.stringify(answer?.body));

/** How many of each the database has. */
async function countDone(database: Database) {
  const { rows } = await sql<Record<'vouchers' | 'redemptions' | 'reversals' | 'topups', number>>`
    select (select count(*) from vouchers) as vouchers,
      (select count(*) from redemptions where status = 'POSTED') as redemptions,
      (select count(*) from redemption_reversals where status = 'SUCCESS') as reversals,
      (select count(*) from topup_attempts where status = 'POSTED') as topups`.execute(database);
  return rows[0];
}
