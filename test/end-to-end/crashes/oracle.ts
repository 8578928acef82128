import { sql } from 'kysely';
import { expect } from 'vitest';
import { asFirstTold } from '../../../chaos/outcome.js';
import { findBrokenInvariants } from '../../../src/db/ledger/invariants.js';
import { type Answer, call } from '../../support/clients.js';
import { until } from '../../support/until.js';
import type { OperationKind } from './client-log.js';
import type { Stories, StoryTools } from './stories.js';

/** A row of the provider's books, or of ours, in the same words. */
interface Done {
  readonly reference: string;
  readonly amount: number;
}

const byReference = (rows: readonly Done[]): Done[] =>
  rows.toSorted((one, other) => one.reference.localeCompare(other.reference));

/** How many of each were answered as done. */
const acknowledged = ({ log }: Stories, kind: OperationKind): number =>
  log.endsOf(kind).filter(({ status }) => status === 200).length;

/**
 * Waits until nothing is open any more, then holds what clients were told, our database and the
 * provider's books against each other: every acknowledged success is there, nothing is there twice,
 * and the same request gives the same answer.
 */
export async function expectAgreement(stack: StoryTools, stories: Stories): Promise<void> {
  await until(async () => expect(await openWork(stack)).toEqual([]));
  expect(await findBrokenInvariants(stack.database)).toEqual([]);

  const { body: books } = await call(`${stack.sandbox.url}/books`);
  const paid = await ourPayments(stack);
  expect(byReference(paid)).toEqual(doneIn(books.payouts));
  const delivered = await ourTopups(stack);
  expect(byReference(delivered)).toEqual(doneIn(books.topups));

  expect(await vouchersOf(stack, stories.partner.id)).toBe(acknowledged(stories, 'generate'));
  expect(paid).toHaveLength(acknowledged(stories, 'redeem'));
  expect(delivered).toHaveLength(acknowledged(stories, 'topup') + acknowledged(stories, 'retry'));
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

/** What has not come to its end; a claim that waits for its redemption is no open work. */
async function openWork({ database }: StoryTools): Promise<string[]> {
  const { rows } = await sql<{ open: string }>`
    select 'operation ' || kind || ' ' || id as open from operations where status = 'RUNNING'
    union all select 'redemption ' || id from redemptions where status = 'HELD'
    union all select 'voucher ' || id from vouchers where status = 'REDEEM_PROCESSING'
    union all select 'top-up ' || id || ' ' || status from topups
      where status not in ('SUCCESS', 'FAILED')
    union all select 'transaction of ' || pid from pg_stat_activity
      where datname = current_database() and state like 'idle in transaction%'`.execute(database);
  return rows.map(({ open }) => open);
}

const doneIn = (rows: readonly { status: string; reference: string; amount: string }[]): Done[] =>
  byReference(
    rows
      .filter(({ status }) => status === 'completed')
      .map(({ reference, amount }) => ({ reference, amount: Number(amount) })),
  );

async function ourPayments({ database }: StoryTools): Promise<Done[]> {
  const rows = await database
    .selectFrom('redemptions')
    .select(['payment_reference', 'to_merchant'])
    .where('status', '=', 'POSTED')
    .execute();
  return rows.map(({ payment_reference: reference, to_merchant }) => ({
    reference,
    amount: Number(to_merchant),
  }));
}

async function ourTopups({ database }: StoryTools): Promise<Done[]> {
  const rows = await database
    .selectFrom('topup_attempts')
    .innerJoin('topups', 'topups.id', 'topup_attempts.topup_id')
    .select(['topup_attempts.reference', 'topups.amount'])
    .where('topup_attempts.status', '=', 'POSTED')
    .execute();
  return rows.map(({ reference, amount }) => ({ reference, amount: Number(amount) }));
}

async function vouchersOf({ database }: StoryTools, partnerId: number): Promise<number> {
  const { count } = await database
    .selectFrom('vouchers')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('partner_id', '=', partnerId)
    .executeTakeFirstOrThrow();
  return Number(count);
}
